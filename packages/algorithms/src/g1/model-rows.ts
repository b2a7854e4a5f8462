import { countsToOffsets, sharedF32, sharedI8, sharedU32 } from '../arrays.ts';
import type { Executor, Kernel } from '../parallel.ts';
import { similaritySteps } from '../scorer.ts';

/** Sparse rows: the entries of row r begin at r * k. */
export interface Entries {
  readonly k: number;
  readonly count: Uint32Array;
  readonly target: Uint32Array;
  readonly weight: Float32Array;
}

/** What a row of M is the sum of: see `G1Model` for which row is what. */
export interface RowParts {
  readonly items: number;
  readonly attributes: number;
  readonly taste: Entries;
  readonly tasteScale: number;
  readonly sourceScale: Float32Array;
  readonly targetScale: Float32Array;
  readonly transitions: Entries | undefined;
  readonly transitionScale: number;
  readonly profile: Entries;
  /** By how much each item is more popular now than overall; absent if popularity does not decay. */
  readonly trend: Float32Array | undefined;
  /** The row of the token that every user has, if popularity decays. */
  readonly popular: { readonly item: Uint32Array; readonly amount: Float64Array } | undefined;
  readonly pairs: Entries | undefined;
  readonly pairScale: number;
}

/** The stored rows, one after the other. */
export interface StoredRows {
  readonly offsets: Uint32Array;
  /** Ascending within a row. */
  readonly target: Uint32Array;
  readonly value: Int8Array;
  readonly rowScale: Float32Array;
}

interface RowsInput extends RowParts, StoredRows {
  /** How many entries each row has; there is room for those that round to 0, too. */
  readonly count: Uint32Array;
}

/** The value of the largest entry of a row. */
const valueSteps = similaritySteps;

function prepare(input: RowsInput): (from: number, to: number) => void {
  const { items, attributes, taste, transitions, profile, popular, pairs } = input;
  const { offsets, target, value, rowScale, count } = input;
  const dense = new Float64Array(items);
  const seen = new Uint8Array(items);
  const row = new Uint32Array(items);
  let length = 0;

  const addTo = (item: number, amount: number) => {
    if (seen[item] === 0) {
      seen[item] = 1;
      row[length++] = item;
    }
    dense[item]! += amount;
  };
  const add = (from: Entries, token: number, factor: number, scale?: Float32Array) => {
    if (factor === 0) return;
    const first = token * from.k;
    for (let place = first; place < first + from.count[token]!; place++) {
      const item = from.target[place]!;
      addTo(item, factor * from.weight[place]! * (scale?.[item] ?? 1));
    }
  };
  const addRow = (index: number) => {
    const everybody = items + 2 * attributes;
    if (index < items + attributes) {
      add(taste, index, input.tasteScale * input.sourceScale[index]!, input.targetScale);
      if (transitions && index < items) add(transitions, index, input.transitionScale);
    } else if (index === everybody && popular)
      for (const [place, item] of popular.item.entries()) addTo(item, popular.amount[place]!);
    else if (index <= everybody) add(profile, index - attributes, 1, input.trend);
    else add(pairs!, index - everybody - 1, input.pairScale);
  };
  const store = (index: number) => {
    const reached = row.subarray(0, length).sort();
    length = 0;
    let largest = 0;
    for (const item of reached) largest = Math.max(largest, Math.abs(dense[item]!));
    const step = Math.fround(largest / valueSteps);
    rowScale[index] = step;
    let size = offsets[index]!;
    for (const item of reached) {
      const rounded = step > 0 ? Math.round(dense[item]! / step) : 0;
      dense[item] = 0;
      seen[item] = 0;
      if (rounded === 0) continue;
      target[size] = item;
      value[size++] = Math.max(-valueSteps, Math.min(valueSteps, rounded));
    }
    count[index] = size - offsets[index]!;
  };
  return (from, to) => {
    for (let index = from; index < to; index++) {
      addRow(index);
      store(index);
    }
  };
}

export const modelRows: Kernel<RowsInput> = { name: 'model rows', prepare };

export async function storeRows(parts: RowParts, executor: Executor): Promise<StoredRows> {
  const offsets = roomOf(parts);
  const rows = offsets.length - 1;
  const stored: StoredRows = {
    offsets,
    target: sharedU32(offsets[rows]!),
    value: sharedI8(offsets[rows]!),
    rowScale: sharedF32(rows),
  };
  const count = sharedU32(rows);
  await executor.run(modelRows, { ...parts, ...stored, count }, rows);
  return closeGaps(stored, count);
}

/** Where each row may begin: a row has at most as many entries as all of its parts. */
function roomOf({ items, attributes, taste, transitions, profile, popular, pairs }: RowParts): Uint32Array {
  const everybody = items + 2 * attributes;
  const offsets = sharedU32(everybody + 2 + (pairs?.count.length ?? 0));
  for (let token = 0; token < items + attributes; token++)
    offsets[token + 1] = taste.count[token]! + (token < items ? (transitions?.count[token] ?? 0) : 0);
  for (let index = items + attributes; index <= everybody; index++)
    offsets[index + 1] = profile.count[index - attributes]!;
  if (popular) offsets[everybody + 1] = popular.item.length;
  if (pairs) offsets.set(pairs.count, everybody + 2);
  countsToOffsets(offsets);
  return offsets;
}

/** Moves the rows together, in place. */
function closeGaps({ offsets, target, value, rowScale }: StoredRows, count: Uint32Array): StoredRows {
  let size = 0;
  for (const [row, entries] of count.entries()) {
    const from = offsets[row]!;
    target.copyWithin(size, from, from + entries);
    value.copyWithin(size, from, from + entries);
    offsets[row] = size;
    size += entries;
  }
  offsets[count.length] = size;
  return { offsets, target: target.subarray(0, size), value: value.subarray(0, size), rowScale };
}
