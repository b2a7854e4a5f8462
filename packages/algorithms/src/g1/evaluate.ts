import { sharedF32, sharedU32 } from '../arrays.ts';
import { type Evaluation, gainOf, listLength, noItem } from '../metrics.ts';
import type { Executor, Kernel } from '../parallel.ts';
import { TopK } from '../top-k.ts';
import type { History } from './history.ts';

/** The users whose held-out items are predicted, in flat arrays that threads can share. */
export interface Questions {
  readonly users: Uint32Array;
  readonly offsets: Uint32Array;
  readonly token: Uint32Array;
  readonly weight: Float32Array;
  readonly age: Float32Array;
  readonly hint: Float32Array;
  readonly seenOffsets: Uint32Array;
  readonly seen: Uint32Array;
  readonly relevantOffsets: Uint32Array;
  readonly relevant: Uint32Array;
}

/**
 * A model before it is stored. Taste and transitions are kept apart, and everything that needs no new fit is a number
 * beside them, so that a search can vary those numbers without rebuilding the model.
 */
export interface Scorer {
  readonly items: number;
  readonly tasteK: number;
  readonly tasteCount: Uint32Array;
  readonly tasteTarget: Uint32Array;
  readonly tasteWeight: Float32Array;
  /** d_i^a for sources, d_j^-a for targets. */
  readonly sourceScale: Float32Array;
  readonly targetScale: Float32Array;
  /** Each part's share divided by its mean row mass; 0 leaves the part out. */
  readonly tasteScale: number;
  readonly transitionK: number;
  readonly transitionCount: Uint32Array;
  readonly transitionTarget: Uint32Array;
  readonly transitionWeight: Float32Array;
  readonly transitionScale: number;
  readonly recency: number;
  /** All items, the most popular first. They fill up a list for which there is too little evidence. */
  readonly popular: Uint32Array;
}

interface EvaluateInput extends Questions, Scorer {
  /** For each user, the recommended items and the two metrics. */
  readonly list: Uint32Array;
  readonly recall: Float32Array;
  readonly ndcg: Float32Array;
}

function prepare(input: EvaluateInput): (from: number, to: number) => void {
  const { list, recall, ndcg, relevantOffsets, relevant } = input;
  const n = listLength;
  const recommend = recommender(input);
  return (from, to) => {
    for (let index = from; index < to; index++) {
      const size = recommend(index, list.subarray(index * n, (index + 1) * n));
      const held = new Set(relevant.subarray(relevantOffsets[index], relevantOffsets[index + 1]));
      const reached = gainOf(list.subarray(index * n, index * n + size), held);
      recall[index] = reached.recall;
      ndcg[index] = reached.ndcg;
    }
  };
}

export const evaluation: Kernel<EvaluateInput> = { name: 'evaluation', prepare };

function recommender(input: EvaluateInput): (index: number, into: Uint32Array) => number {
  const { items, offsets, token, weight, age, hint, seen, seenOffsets } = input;
  const { tasteK, tasteCount, tasteTarget, tasteWeight, sourceScale, targetScale } = input;
  const { transitionK, transitionCount, transitionTarget, transitionWeight } = input;
  const taste = new Float64Array(items);
  const next = new Float64Array(items);
  const known = new Uint8Array(items);
  const touched = new Uint32Array(items);
  const best = new TopK(listLength);
  return (index, into) => {
    let reached = 0;
    const touch = (item: number) => {
      if (known[item]! & 1) return;
      known[item]! |= 1;
      touched[reached++] = item;
    };
    for (let cell = seenOffsets[index]!; cell < seenOffsets[index + 1]!; cell++) known[seen[cell]!]! |= 2;
    for (let cell = offsets[index]!; cell < offsets[index + 1]!; cell++) {
      const source = token[cell]!;
      const strength = weight[cell]! * (1 + age[cell]!) ** -input.recency;
      if (input.tasteScale !== 0) {
        const scaled = strength * sourceScale[source]! * input.tasteScale;
        const end = source * tasteK + tasteCount[source]!;
        for (let place = source * tasteK; place < end; place++) {
          const item = tasteTarget[place]!;
          touch(item);
          taste[item]! += scaled * tasteWeight[place]!;
        }
      }
      if (input.transitionScale !== 0 && source < items) {
        const scaled = strength * input.transitionScale;
        const end = source * transitionK + transitionCount[source]!;
        for (let place = source * transitionK; place < end; place++) {
          const item = transitionTarget[place]!;
          touch(item);
          next[item]! += scaled * transitionWeight[place]!;
        }
      }
      if (hint[cell]! > 0 && source < items) {
        touch(source);
        next[source]! += hint[cell]!;
      }
    }
    best.clear();
    for (let place = 0; place < reached; place++) {
      const item = touched[place]!;
      const score = taste[item]! * targetScale[item]! + next[item]!;
      if (score > 0 && known[item] === 1) best.offer(item, score);
      taste[item] = next[item] = 0;
      known[item]! &= 2;
    }
    best.sort();
    into.set(best.indices.subarray(0, best.size));
    let size = best.size;
    for (let rank = 0; size < listLength && rank < items; rank++) {
      const item = input.popular[rank]!;
      if (known[item] === 0 && !into.subarray(0, size).includes(item)) into[size++] = item;
    }
    into.fill(noItem, size);
    for (let cell = seenOffsets[index]!; cell < seenOffsets[index + 1]!; cell++) known[seen[cell]!] = 0;
    return size;
  };
}

export async function evaluate(
  questions: Questions,
  scorer: Scorer,
  executor: Executor,
): Promise<Evaluation> {
  const count = questions.users.length;
  const list = sharedU32(count * listLength);
  const answers = { list, recall: sharedF32(count), ndcg: sharedF32(count) };
  await executor.run(evaluation, { ...questions, ...scorer, ...answers }, count);
  return answers;
}

/** Builds the questions: for each of `users`, the history and the relevant items. */
export function ask(
  users: readonly number[],
  historyOf: (user: number) => History,
  relevantTo: (user: number) => Uint32Array,
): Questions {
  const histories = users.map(historyOf);
  const answers = users.map(relevantTo);
  const flat = (lists: readonly ArrayLike<number>[]) => {
    const offsets = sharedU32(lists.length + 1);
    for (const [index, list] of lists.entries()) offsets[index + 1] = offsets[index]! + list.length;
    return offsets;
  };
  const fill = <T extends { set(from: ArrayLike<number>, at: number): void }>(
    to: T,
    offsets: Uint32Array,
    lists: readonly ArrayLike<number>[],
  ) => {
    for (const [index, list] of lists.entries()) to.set(list, offsets[index]!);
    return to;
  };
  const pick = (field: keyof History) => histories.map((history) => history[field]);
  const offsets = flat(pick('token'));
  const excluded = histories.map(({ seen, disliked }) => [...seen, ...disliked]);
  const seenOffsets = flat(excluded);
  const relevantOffsets = flat(answers);
  const size = offsets.at(-1)!;
  return {
    users: fill(sharedU32(users.length), sharedU32(1), [users]),
    offsets,
    seenOffsets,
    relevantOffsets,
    token: fill(sharedU32(size), offsets, pick('token')),
    weight: fill(sharedF32(size), offsets, pick('weight')),
    age: fill(sharedF32(size), offsets, pick('age')),
    hint: fill(sharedF32(size), offsets, pick('hint')),
    seen: fill(sharedU32(seenOffsets.at(-1)!), seenOffsets, excluded),
    relevant: fill(sharedU32(relevantOffsets.at(-1)!), relevantOffsets, answers),
  };
}
