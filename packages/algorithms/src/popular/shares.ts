import { rowOf } from '../data/incidence.ts';
import { eachBit, type SharePredictor } from '../taste/prior-strength.ts';
import type { ModelledUsers, PredictedShares } from '../taste/shares.ts';
import { blendsOf, groupOf, type PopularModel } from './model.ts';

/** The popularity of a value's items, as scores use it: among all users or a user's group, not from the user's own events. */
export function sharesOf({ userAttributes }: ModelledUsers, model: PopularModel): PredictedShares {
  return {
    of(carried) {
      const add = (value: number, item: number, into: Float64Array) => {
        if (carried[item] === 1) into[0]! += value;
      };
      const [byGroup, all] = [reachedBy(model, 1, add), totalsOf(model)];
      return (user) => {
        const place = placeOf(model, userAttributes, user);
        return all[place]! > 0 ? byGroup[place]![0]! / all[place]! : undefined;
      };
    },
  };
}

export function predictorOf(model: PopularModel): SharePredictor {
  return ({ userAttributes }, bits, values) => {
    const add = (value: number, item: number, into: Float64Array) =>
      eachBit(bits, item, (place) => {
        into[place]! += value;
      });
    const [byGroup, all] = [reachedBy(model, values, add), totalsOf(model)];
    return (user) => {
      const place = placeOf(model, userAttributes, user);
      return { reached: byGroup[place]!, total: all[place]! };
    };
  };
}

type Add = (value: number, item: number, into: Float64Array) => void;

/** The sums that `add` collects over the popularity of all items: one per group, then one for users without a group. */
function reachedBy(model: PopularModel, width: number, add: Add): Float64Array[] {
  const whole = new Float64Array(width);
  for (let item = 0; item < model.items; item++) add(model.popularity[item]!, item, whole);
  const groups = blendsOf(model).map((blend, group) => {
    const own = new Float64Array(width);
    for (let place = model.offsets[group]!; place < model.offsets[group + 1]!; place++)
      add(model.groupPopularity[place]!, model.item[place]!, own);
    return whole.map((value, place) => blend.whole * value + blend.own * own[place]!);
  });
  return [...groups, whole];
}

const totalsOf = (model: PopularModel) =>
  reachedBy(model, 1, (value, _, into) => {
    into[0]! += value;
  }).map(([total]) => total!);

function placeOf(model: PopularModel, attributes: ModelledUsers['userAttributes'], user: number): number {
  return groupOf(model, rowOf(attributes, user)) ?? model.offsets.length - 1;
}
