import { sharedF32, sharedU32 } from '../arrays.ts';
import type { ScaledFactors } from '../low-rank/scale.ts';
import { type Evaluation, gainOf, listLength, newEvaluations, noItem } from '../metrics.ts';
import type { Executor, Kernel } from '../parallel.ts';
import { TopK } from '../top-k.ts';
import { bestItems } from './best-items.ts';
import type { History } from './history.ts';
import { FactorMatcher, noVariant, type Variant } from './match-factors.ts';
import type { Pairs } from './pairs/find-pairs.ts';
import { eachPair } from './pairs/pair-index.ts';
import { targetsPerPair } from './pairs/pair-targets.ts';

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
  /** By source, where its targets begin. */
  readonly tasteOffsets: Uint32Array;
  readonly tasteTarget: Uint32Array;
  readonly tasteWeight: Float32Array;
  /** d_i^a for sources, d_j^-a for targets. */
  readonly sourceScale: Float32Array;
  readonly targetScale: Float32Array;
  /** Each part's share divided by its mean row mass; 0 leaves the part out. */
  readonly tasteScale: number;
  readonly transitionOffsets: Uint32Array;
  readonly transitionTarget: Uint32Array;
  readonly transitionWeight: Float32Array;
  readonly transitionScale: number;
  /** Second-order transitions, and their weight divided by their mean row mass. */
  readonly pairs: Pairs | undefined;
  readonly pairScale: number;
  readonly recency: number;
  /** All items, the most popular first. They fill up a list for which there is too little evidence. */
  readonly popular: Uint32Array;
}

interface EvaluateInput extends Questions, Scorer {
  readonly factors?: ScaledFactors | undefined;
  /** By rank, ascending. */
  readonly variants: readonly Variant[];
  /** For each variant and user, the recommended items and the two metrics. */
  readonly list: Uint32Array;
  readonly recall: Float32Array;
  readonly ndcg: Float32Array;
}

function prepare(input: EvaluateInput): (from: number, to: number) => void {
  const { list, recall, ndcg, relevantOffsets, relevant, variants, users } = input;
  const n = listLength;
  const recommend = recommender(input);
  return (from, to) => {
    for (let index = from; index < to; index++) {
      const places = variants.map((_, variant) => variant * users.length + index);
      recommend(
        index,
        places.map((place) => list.subarray(place * n, (place + 1) * n)),
      );
      const held = new Set(relevant.subarray(relevantOffsets[index], relevantOffsets[index + 1]));
      for (const place of places) {
        const reached = gainOf(list.subarray(place * n, (place + 1) * n), held);
        recall[place] = reached.recall;
        ndcg[place] = reached.ndcg;
      }
    }
  };
}

export const evaluation: Kernel<EvaluateInput> = { name: 'evaluation', prepare };

/** Writes one list per variant. */
function recommender(input: EvaluateInput): (index: number, into: readonly Uint32Array[]) => void {
  const { items, offsets, token, weight, age, hint, seen, seenOffsets } = input;
  const { tasteOffsets, tasteTarget, tasteWeight, sourceScale, targetScale } = input;
  const { transitionOffsets, transitionTarget, transitionWeight, pairs } = input;
  const taste = new Float64Array(items);
  const next = new Float64Array(items);
  const known = new Uint8Array(items);
  const touched = new Uint32Array(items);
  const { factors } = input;
  // The items after those that are re-ranked may follow them in the list, with the score they have.
  const best = new TopK(factors ? bestItems + listLength : listLength);
  const rerank = factors ? reranker(input, factors, best) : undefined;
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
        const end = tasteOffsets[source + 1]!;
        for (let place = tasteOffsets[source]!; place < end; place++) {
          const item = tasteTarget[place]!;
          touch(item);
          taste[item]! += scaled * tasteWeight[place]!;
        }
      }
      if (input.transitionScale !== 0 && source < items) {
        const scaled = strength * input.transitionScale;
        const end = transitionOffsets[source + 1]!;
        for (let place = transitionOffsets[source]!; place < end; place++) {
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
    if (pairs)
      eachPair(pairs, input, offsets[index]!, offsets[index + 1]!, (pair, cell, factor) => {
        const strength = weight[cell]! * (1 + age[cell]!) ** -input.recency;
        const scaled = strength * factor * input.pairScale;
        const end = pair * targetsPerPair + pairs.count[pair]!;
        for (let place = pair * targetsPerPair; place < end; place++) {
          const item = pairs.target[place]!;
          touch(item);
          next[item]! += scaled * pairs.weight[place]!;
        }
      });
    best.clear();
    for (let place = 0; place < reached; place++) {
      const item = touched[place]!;
      const score = taste[item]! * targetScale[item]! + next[item]!;
      if (score > 0 && known[item] === 1) best.offer(item, score);
      taste[item] = next[item] = 0;
      known[item]! &= 2;
    }
    best.sort();
    rerank?.read(index);
    for (const [place, list] of into.entries()) {
      const ranked = rerank?.rank(input.variants[place]!) ?? best;
      list.set(ranked.indices.subarray(0, ranked.size));
      let size = ranked.size;
      for (let rank = 0; size < listLength && rank < items; rank++) {
        const item = input.popular[rank]!;
        if (known[item] === 0 && !list.subarray(0, size).includes(item)) list[size++] = item;
      }
      list.fill(noItem, size);
    }
    for (let cell = seenOffsets[index]!; cell < seenOffsets[index + 1]!; cell++) known[seen[cell]!] = 0;
  };
}

/** Adds the low-rank part as serving does (refine.ts): to the best items, whose order it changes. */
function reranker(input: EvaluateInput, factors: ScaledFactors, best: TopK) {
  const matcher = new FactorMatcher(input, input.items, input.recency, factors);
  const list = new TopK(listLength);
  return {
    read: (index: number) => matcher.read(index),
    rank(variant: Variant): TopK {
      const gains = matcher.gains(best.indices.subarray(0, Math.min(best.size, bestItems)), variant);
      list.clear();
      for (let place = 0; place < best.size; place++) {
        const score = best.scores[place]! + (place < bestItems ? gains[place]! : 0);
        if (score > 0) list.offer(best.indices[place]!, score);
      }
      list.sort();
      return list;
    },
  };
}

/** Without a low-rank part. */
export async function evaluate(
  questions: Questions,
  scorer: Scorer,
  executor: Executor,
): Promise<Evaluation> {
  const [evaluated] = await evaluateVariants(questions, scorer, executor, undefined, [noVariant]);
  return evaluated!;
}

/** Several low-rank parts at once, by ascending rank: they share most of the work. */
export async function evaluateVariants(
  questions: Questions,
  scorer: Scorer,
  executor: Executor,
  factors: ScaledFactors | undefined,
  variants: readonly Variant[],
): Promise<Evaluation[]> {
  const count = questions.users.length;
  const { all, each } = newEvaluations(variants.length, count);
  await executor.run(evaluation, { ...questions, ...scorer, factors, variants, ...all }, count);
  return each;
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
