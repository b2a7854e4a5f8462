import { type Incidence, rowOf } from '../data/incidence.ts';
import type { Interactions } from '../data/interactions.ts';
import type { Split } from '../data/split.ts';
import type { Scorer } from '../scorer.ts';
import { estimate } from '../statistics/interval.ts';
import type { TestReport } from '../training.ts';
import { type Evaluation, listLength, measureList, noItem } from './metrics.ts';

/** Measures the lists that the scorer, the same one that serves, recommends to these users from their known events. */
export function evaluateScorer(
  scorer: Scorer,
  { train, relevant, relevantOffsets }: Split,
  attributes: Incidence | undefined,
  users: readonly number[],
): Evaluation {
  const evaluation = {
    list: new Uint32Array(users.length * listLength).fill(noItem),
    recall: new Float32Array(users.length),
    ndcg: new Float32Array(users.length),
  };
  for (const [index, user] of users.entries()) {
    const [from, to] = [train.offsets[user]!, train.offsets[user + 1]!];
    const [item, type, value] = [train.item, train.type, train.value].map((column) =>
      column.subarray(from, to),
    );
    const tokens = attributes ? rowOf(attributes, user) : [];
    const events = { item, type, value } as Pick<Interactions, 'item' | 'type' | 'value'>;
    const list = scorer
      .recommend({ events, attributes: [...tokens] }, { n: listLength })
      .map((one) => one.item);
    evaluation.list.set(list, index * listLength);
    const held = new Set(relevant.subarray(relevantOffsets[user], relevantOffsets[user + 1]));
    measureList(evaluation, index, Uint32Array.from(list), held);
  }
  return evaluation;
}

/** How many items that only the held-out part has were recommended. `list` is in the order of `users`. */
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
