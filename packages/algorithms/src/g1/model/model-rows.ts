import type { Executor, Kernel } from '../../kernels/parallel.ts';
import { countsToOffsets, sharedF32, sharedI8, sharedU32 } from '../../lib/arrays.ts';
import { similaritySteps } from '../../scorer.ts';
import type { Entries } from '../data/entries.ts';
import { cutWindows, defaultWindowBytes, largestOf, type Window } from '../data/windows.ts';

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

/** A window of rows, the first of which is `first`. */
interface RowsInput extends RowParts, StoredRows {
  readonly first: number;
  /** How many entries each row of the window has; there is room for those that round to 0, too. */
  readonly count: Uint32Array;
}

/** The value of the largest entry of a row. */
const valueSteps = similaritySteps;

function prepare(input: RowsInput): (from: number, to: number) => void {
  const { items, attributes, taste, transitions, profile, popular, pairs } = input;
  const { first, offsets, target, value, rowScale, count } = input;
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
    const end = from.offsets[token + 1]!;
    for (let place = from.offsets[token]!; place < end; place++) {
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
    // The entries of the window begin at 0.
    const start = offsets[index]! - offsets[first]!;
    let size = start;
    for (const item of reached) {
      const rounded = step > 0 ? Math.round(dense[item]! / step) : 0;
      dense[item] = 0;
      seen[item] = 0;
      if (rounded === 0) continue;
      target[size] = item;
      value[size++] = Math.max(-valueSteps, Math.min(valueSteps, rounded));
    }
    count[index - first] = size - start;
  };
  return (from, to) => {
    for (let index = first + from; index < first + to; index++) {
      addRow(index);
      store(index);
    }
  };
}

export const modelRows: Kernel<RowsInput> = { name: 'model rows', prepare };

/** Stores a window of rows after the other, so that the room for what rounds to 0 is that of a window. */
export async function storeRows(
  parts: RowParts,
  executor: Executor,
  windowBytes = defaultWindowBytes,
): Promise<StoredRows> {
  const room = roomOf(parts);
  const rows = room.length - 1;
  const windows = cutWindows(rows, (row) => 4 + 5 * (room[row + 1]! - room[row]!), windowBytes);
  const entries = largestOf(windows, ({ from, to }) => room[to]! - room[from]!);
  const count = sharedU32(largestOf(windows, ({ from, to }) => to - from));
  const [target, value] = [sharedU32(entries), sharedI8(entries)];
  // What is not used takes no memory.
  const stored = {
    offsets: sharedU32(rows + 1),
    target: sharedU32(room[rows]!),
    value: sharedI8(room[rows]!),
    rowScale: sharedF32(rows),
  };
  for (const window of windows) {
    const { from, to } = window;
    const input = { ...parts, offsets: room, target, value, rowScale: stored.rowScale, first: from, count };
    await executor.run(modelRows, input, to - from);
    append(stored, window, room, input);
  }
  const size = stored.offsets[rows]!;
  return { ...stored, target: stored.target.subarray(0, size), value: stored.value.subarray(0, size) };
}

/** Where each row may begin: a row has at most as many entries as all of its parts. */
function roomOf({ items, attributes, taste, transitions, profile, popular, pairs }: RowParts): Uint32Array {
  const everybody = items + 2 * attributes;
  const ofPairs = pairs ? pairs.offsets.length - 1 : 0;
  const lengthOf = ({ offsets }: Entries, row: number) => offsets[row + 1]! - offsets[row]!;
  const offsets = sharedU32(everybody + 2 + ofPairs);
  for (let token = 0; token < items + attributes; token++)
    offsets[token + 1] =
      lengthOf(taste, token) + (transitions && token < items ? lengthOf(transitions, token) : 0);
  for (let index = items + attributes; index <= everybody; index++)
    offsets[index + 1] = lengthOf(profile, index - attributes);
  if (popular) offsets[everybody + 1] = popular.item.length;
  for (let pair = 0; pair < ofPairs; pair++) offsets[everybody + 2 + pair] = lengthOf(pairs!, pair);
  countsToOffsets(offsets);
  return offsets;
}

/** Appends the rows of a window, without the gaps between them. */
function append(
  { offsets, target, value }: StoredRows,
  { from, to }: Window,
  room: Uint32Array,
  window: Pick<RowsInput, 'target' | 'value' | 'count'>,
): void {
  for (let row = from; row < to; row++) {
    const begin = room[row]! - room[from]!;
    const end = begin + window.count[row - from]!;
    target.set(window.target.subarray(begin, end), offsets[row]);
    value.set(window.value.subarray(begin, end), offsets[row]);
    offsets[row + 1] = offsets[row]! + end - begin;
  }
}
