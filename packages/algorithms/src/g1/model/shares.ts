import { rowOf } from '../../data/incidence.ts';
import { eachBit, type SharePredictor } from '../../taste/prior-strength.ts';
import type { ModelledUsers, PredictedShares } from '../../taste/shares.ts';
import { readHistory } from '../data/history.ts';
import { pairWindow } from '../fit/pair-index.ts';
import type { G1Model } from './model.ts';
import { termsOf } from './terms.ts';

/**
 * The share of a user's evidence, as the scorer weighs it, that goes to items carrying a value. Over the model rows
 * that apply to the user: weight times the row's positive entries on such items, divided by weight times all its
 * positive entries. Each value costs one pass over the model. Keeps 8 bytes per pair of user and item and 8 per user.
 */
export function sharesOf(users: ModelledUsers, model: G1Model): PredictedShares {
  const weights = readRowWeights(users, model);
  const all = positiveSums(model, new Uint8Array(model.items).fill(1));
  const evidence = Float64Array.from({ length: users.events.users }, (_, user) => weigh(weights, user, all));
  return {
    of(carried) {
      const sums = positiveSums(model, carried);
      return (user) => (evidence[user]! > 0 ? weigh(weights, user, sums) / evidence[user]! : undefined);
    },
  };
}

function weigh({ offsets, row, weight }: RowWeights, user: number, sums: Float32Array): number {
  let sum = 0;
  for (let place = offsets[user]!; place < offsets[user + 1]!; place++)
    sum += weight[place]! * sums[row[place]!]!;
  return sum;
}

/** A user's evidence for a few values at once, entry by entry: with few users this costs less than a pass over the whole model. */
export function predictorOf(model: G1Model): SharePredictor {
  const rows = rowsOf(model);
  return (users, bits, values) => {
    const weights = readRowWeights(users, model);
    return (user) => {
      const reached = new Float64Array(values);
      let total = 0;
      const add = (item: number, amount: number) => {
        total += amount;
        eachBit(bits, item, (place) => {
          reached[place]! += amount;
        });
      };
      for (let cell = weights.offsets[user]!; cell < weights.offsets[user + 1]!; cell++) {
        const row = weights.row[cell]!;
        const weight = weights.weight[cell]!;
        if (row >= rows) {
          add(row - rows, weight);
          continue;
        }
        const scaled = weight * model.rowScale[row]!;
        for (let place = model.offsets[row]!; place < model.offsets[row + 1]!; place++)
          if (model.value[place]! > 0) add(model.target[place]!, scaled * model.value[place]!);
      }
      return { reached, total };
    };
  };
}

/**
 * The model's rows that apply to each user, with their weights. 8 bytes per pair of user and item. A hint affects a
 * single item and has its own row after the model's: `rowsOf(model)` plus the item. That users come back to items is left
 * out: a share is of what is evidence for other items, too.
 */
interface RowWeights {
  /** Those of user u are from offsets[u] to offsets[u + 1]. */
  readonly offsets: Uint32Array;
  readonly row: Uint32Array;
  readonly weight: Float32Array;
}

/** How many rows the model itself has. */
const rowsOf = ({ rowScale }: G1Model) => rowScale.length;

const hasHints = ({ weights: { active, visitor } }: G1Model) => active.hint > 0 || visitor.hint > 0;

/** Reads every event once, with the same weights as the scorer. */
function readRowWeights({ events, userAttributes }: ModelledUsers, model: G1Model): RowWeights {
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
    for (const term of termsOf(model, history, rowOf(userAttributes, user))) {
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
function positiveSums(model: G1Model, carried: Uint8Array): Float32Array {
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
