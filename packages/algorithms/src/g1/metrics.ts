import { type Evaluation, listLength, noItem } from './evaluate.ts';

/** A mean, and how far it may be off (95 %, normal). */
export interface Estimate {
  readonly mean: number;
  readonly margin: number;
}

export interface Metrics {
  readonly users: number;
  readonly recall20: Estimate;
  readonly ndcg20: Estimate;
  /** The share of all items that were recommended to somebody. */
  readonly coverage: Estimate;
}

/** 95 % of a normal distribution lie within so many standard errors. */
const normal95 = 1.96;

export function summarise({ list, recall, ndcg }: Evaluation, items: number): Metrics {
  return {
    users: recall.length,
    recall20: estimate(recall),
    ndcg20: estimate(ndcg),
    coverage: coverage(list, items),
  };
}

export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index]!;
  return values.length > 0 ? sum / values.length : 0;
}

export function estimate(values: ArrayLike<number>): Estimate {
  const size = Math.max(1, values.length);
  const error = Math.sqrt(squares(values) / (size * Math.max(1, size - 1)));
  return { mean: mean(values), margin: normal95 * error };
}

function squares(values: ArrayLike<number>): number {
  const middle = mean(values);
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += (values[index]! - middle) ** 2;
  return sum;
}

/**
 * No mean over users, so its margin is the jackknife's (Tukey 1958): without one user, coverage falls by the items that
 * only this user was recommended.
 */
function coverage(list: Uint32Array, items: number): Estimate {
  const times = new Map<number, number>();
  for (const item of list) if (item !== noItem) times.set(item, (times.get(item) ?? 0) + 1);
  const users = list.length / listLength;
  const lost = new Float64Array(users);
  for (const [place, item] of list.entries())
    if (times.get(item) === 1) lost[Math.floor(place / listLength)]! += 1 / items;
  return {
    mean: items > 0 ? times.size / items : 0,
    margin: users > 0 ? normal95 * Math.sqrt((squares(lost) * (users - 1)) / users) : 0,
  };
}
