import { ndcg, recall, TopK } from '@tastegraph/algorithms';
import { type G1Model, G1Scorer } from '@tastegraph/algorithms/g1';

/** A user to recommend to, and the held-out items. */
export interface Question {
  /** Oldest first. `types` is needed if there are event types other than the target. */
  readonly items: readonly number[];
  readonly types?: readonly number[];
  readonly attributes?: readonly number[];
  readonly relevant: readonly number[];
}

export interface Score {
  readonly recall: number;
  readonly ndcg: number;
}

/** Recall and NDCG at n of any recommender, averaged over users with held-out items. */
export function measure<Asked extends Question>(
  questions: readonly Asked[],
  n: number,
  recommend: (question: Asked) => readonly number[],
): Score {
  let found = 0;
  let gained = 0;
  let users = 0;
  for (const question of questions) {
    const relevant = new Set(question.relevant);
    if (relevant.size === 0) continue;
    const list = recommend(question);
    found += recall(list, relevant, n);
    gained += ndcg(list, relevant, n);
    users++;
  }
  return { recall: found / users, ndcg: gained / users };
}

/** Uses the model as it is stored and served: with 8-bit values, from the raw history. */
export function byModel(
  model: G1Model,
  n: number,
  masked: (item: number) => boolean = () => false,
  keepSeen = false,
) {
  const scorer = new G1Scorer(model);
  return ({ items, types, attributes = [] }: Question): number[] => {
    const events = {
      item: Uint32Array.from(items),
      type: Uint8Array.from(types ?? items.map(() => 0)),
      value: new Float32Array(items.length).fill(1),
    };
    return scorer.recommend({ events, attributes }, { n, masked, keepSeen }).map(({ item }) => item);
  };
}

/** The most popular items that the user has not seen. */
export function byPopularity(lists: Iterable<readonly number[]>, n: number) {
  const counts = new Map<number, number>();
  for (const list of lists) for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
  const popular = [...counts].sort(([a, one], [b, other]) => other - one || a - b).map(([item]) => item);
  return ({ items, types }: Question): number[] => {
    const seen = new Set(items.filter((_, place) => (types?.[place] ?? 0) === 0));
    const list: number[] = [];
    for (const item of popular) {
      if (list.length >= n) break;
      if (!seen.has(item)) list.push(item);
    }
    return list;
  };
}

/** Plain item-kNN (Sarwar et al. 2001): cosine similarity over users, 200 neighbors per item, summed over the user's items. */
export function byItemKnn(lists: ReadonlyMap<number, readonly number[]>, items: number, n: number) {
  const users: number[][] = Array.from({ length: items }, () => []);
  for (const [user, list] of lists) for (const item of list) users[item]!.push(user);
  const sum = new Float64Array(items);
  const nearest = new TopK(200);
  const near = users.map((of, item) => {
    const touched: number[] = [];
    for (const user of of)
      for (const other of lists.get(user)!) {
        if (sum[other] === 0) touched.push(other);
        sum[other]! += 1;
      }
    nearest.clear();
    for (const other of touched) {
      if (other !== item) nearest.offer(other, sum[other]! / Math.sqrt(of.length * users[other]!.length));
      sum[other] = 0;
    }
    return { item: nearest.indices.slice(0, nearest.size), cosine: nearest.scores.slice(0, nearest.size) };
  });
  return ({ items: history }: Question): number[] => {
    const scores = new Map<number, number>();
    for (const item of history)
      for (const [place, other] of near[item]!.item.entries())
        scores.set(other, (scores.get(other) ?? 0) + near[item]!.cosine[place]!);
    for (const item of history) scores.delete(item);
    const best = new TopK(n);
    for (const [item, score] of scores) best.offer(item, score);
    best.sort();
    return [...best.indices.subarray(0, best.size)];
  };
}
