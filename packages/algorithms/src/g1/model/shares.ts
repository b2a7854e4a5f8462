import { eachBit, type SharePredictor } from '../../taste/prior-strength.ts';
import type { ModelledUsers, PredictedShares } from '../../taste/shares.ts';
import type { G1Model } from './model.ts';
import { positiveSums, type RowWeights, readRowWeights, rowsOf } from './row-weights.ts';

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
