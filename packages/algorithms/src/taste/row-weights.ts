import { readHistory } from '../g1/history.ts';
import type { G1Model } from '../g1/model.ts';
import { termsOf } from '../g1/terms.ts';
import type { TasteSnapshot } from './snapshot.ts';

/**
 * What is known of each user as the model weighs it: which of its rows, and how much. 8 bytes a pair of user and item. A hint,
 * which reaches one item alone, has a row of its own behind the model's: `rowsOf(model)` plus the item.
 */
export interface RowWeights {
  /** Those of user u are from offsets[u] to offsets[u + 1]. */
  readonly offsets: Uint32Array;
  readonly row: Uint32Array;
  readonly weight: Float32Array;
}

/** How many rows the model itself has. */
export const rowsOf = ({ items, attributes }: G1Model) => items + 2 * attributes + 1;

/** Reads every event once, with the scorer's own weights. */
export function readRowWeights(
  { events, userAttributes }: Pick<TasteSnapshot, 'events' | 'userAttributes'>,
  model: G1Model,
): RowWeights {
  const rows = rowsOf(model);
  const hints =
    model.parameters.hint > 0 ? events.type.reduce((sum, type) => sum + (type > 0 ? 1 : 0), 0) : 0;
  // As many as there can be: what is not written takes no memory. Users without tokens have the row of popularity.
  const most = events.item.length + hints + userAttributes.column.length + events.users;
  const row = new Uint32Array(most);
  const weight = new Float32Array(most);
  const offsets = new Uint32Array(events.users + 1);
  let size = 0;
  for (let user = 0; user < events.users; user++) {
    const [from, to] = [events.offsets[user]!, events.offsets[user + 1]!];
    const history = readHistory(events, from, to, model.eventScale, []);
    const tokens = userAttributes.column.subarray(
      userAttributes.offsets[user],
      userAttributes.offsets[user + 1],
    );
    for (const term of termsOf(model, history, tokens)) {
      row[size] = term.kind === 'hint' ? rows + term.index : term.row;
      weight[size++] = term.weight;
    }
    offsets[user + 1] = size;
  }
  return { offsets, row: row.subarray(0, size), weight: weight.subarray(0, size) };
}

/**
 * By row: the sum of its positive entries on items that are `carried`. What speaks against an item is left out: a share of
 * evidence is one of what speaks for. Sums of whole numbers, so that what carries all is exactly all.
 */
export function positiveSums(model: G1Model, carried: Uint8Array): Float32Array {
  const { offsets, target, value, rowScale, items, parameters } = model;
  const rows = rowsOf(model);
  const sums = new Float32Array(rows + (parameters.hint > 0 ? items : 0));
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let place = offsets[row]!; place < offsets[row + 1]!; place++)
      if (value[place]! > 0 && carried[target[place]!] === 1) sum += value[place]!;
    sums[row] = sum * rowScale[row]!;
  }
  if (parameters.hint > 0) for (let item = 0; item < items; item++) sums[rows + item] = carried[item]!;
  return sums;
}
