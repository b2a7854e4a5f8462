import type { ModelledUsers } from '../../taste/shares.ts';
import { readHistory } from '../data/history.ts';
import { pairWindow } from '../fit/pair-index.ts';
import type { G1Model } from './model.ts';
import { termsOf } from './terms.ts';

/**
 * The model's rows that apply to each user, with their weights. 8 bytes per pair of user and item. A hint affects a
 * single item and has its own row after the model's: `rowsOf(model)` plus the item. That users come back to items is left
 * out: a share is of what is evidence for other items, too.
 */
export interface RowWeights {
  /** Those of user u are from offsets[u] to offsets[u + 1]. */
  readonly offsets: Uint32Array;
  readonly row: Uint32Array;
  readonly weight: Float32Array;
}

/** How many rows the model itself has. */
export const rowsOf = ({ rowScale }: G1Model) => rowScale.length;

const hasHints = ({ weights: { active, visitor } }: G1Model) => active.hint > 0 || visitor.hint > 0;

/** Reads every event once, with the same weights as the scorer. */
export function readRowWeights({ events, userAttributes }: ModelledUsers, model: G1Model): RowWeights {
  const rows = rowsOf(model);
  const hints = hasHints(model) ? events.item.length : 0;
  // An upper bound: pages that are never written take no memory. Users without tokens have the popularity row.
  const pairs = model.pairs ? events.users * pairWindow ** 2 : 0;
  const maxTerms = events.item.length + hints + pairs + userAttributes.column.length + events.users;
  const row = new Uint32Array(maxTerms);
  const weight = new Float32Array(maxTerms);
  const offsets = new Uint32Array(events.users + 1);
  const weights = { ...model.weights, repeat: 0 };
  let size = 0;
  for (let user = 0; user < events.users; user++) {
    const [from, to] = [events.offsets[user]!, events.offsets[user + 1]!];
    const history = readHistory(events, from, to, weights, []);
    const tokens = userAttributes.column.subarray(
      userAttributes.offsets[user],
      userAttributes.offsets[user + 1],
    );
    for (const term of termsOf(model, history, tokens)) {
      // Shares are of the evidence in favor.
      if (!(term.weight > 0)) continue;
      row[size] = term.kind === 'hint' ? rows + term.index : term.row;
      weight[size++] = term.weight;
    }
    offsets[user + 1] = size;
  }
  return { offsets, row: row.subarray(0, size), weight: weight.subarray(0, size) };
}

/**
 * By row: the sum of its positive entries for items that are 1 in `carried`. Negative entries are left out, because
 * shares are of the evidence in favor. The sums are of integers, so that a value carried by all items gets a share of
 * exactly 1.
 */
export function positiveSums(model: G1Model, carried: Uint8Array): Float32Array {
  const { offsets, target, value, rowScale, items } = model;
  const rows = rowsOf(model);
  const sums = new Float32Array(rows + (hasHints(model) ? items : 0));
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let place = offsets[row]!; place < offsets[row + 1]!; place++)
      if (value[place]! > 0 && carried[target[place]!] === 1) sum += value[place]!;
    sums[row] = sum * rowScale[row]!;
  }
  if (hasHints(model)) for (let item = 0; item < items; item++) sums[rows + item] = carried[item]!;
  return sums;
}
