import type { Split } from '../data/split.ts';
import { estimate } from '../statistics/interval.ts';
import type { TestReport } from '../training.ts';
import { type Evaluation, listLength } from './metrics.ts';

/**
 * How many of the items that occur only in the held-out part were recommended. `list` has the recommendations in the
 * order of `users`.
 */
export function measureColdItems(
  { train, relevant, relevantOffsets }: Split,
  users: readonly number[],
  { list }: Pick<Evaluation, 'list'>,
): TestReport['coldItems'] {
  const known = new Uint8Array(train.items);
  for (const item of train.item) known[item] = 1;
  const cold = new Set(relevant.filter((item) => known[item] === 0));
  const found: number[] = [];
  for (const [index, user] of users.entries()) {
    const held = relevant
      .subarray(relevantOffsets[user], relevantOffsets[user + 1])
      .filter((item) => cold.has(item));
    if (held.length === 0) continue;
    const shown = new Set(list.subarray(index * listLength, (index + 1) * listLength));
    found.push(held.filter((item) => shown.has(item)).length / held.length);
  }
  return { items: cold.size, users: found.length, recall20: estimate(found) };
}
