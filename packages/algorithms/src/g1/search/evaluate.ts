import {
  type Evaluation,
  listLength,
  measureList,
  newEvaluations,
  noItem,
} from '../../evaluation/metrics.ts';
import type { Executor, Kernel } from '../../kernels/parallel.ts';
import { TopK } from '../../lib/top-k.ts';
import type { ScaledFactors } from '../../low-rank/scale.ts';
import type { Scorer } from '../fit/scorer.ts';
import { bestItems } from '../model/best-items.ts';
import { FactorMatcher, noVariant, type Variant } from './match-factors.ts';
import type { Questions } from './questions.ts';
import { Sums } from './sums.ts';

/** The fields of `Evaluation` are by scorer, variant and user. */
interface EvaluateInput extends Questions, Evaluation {
  /** Of fits that were made at once: they share the support, and those with transitions or pairs share these. */
  readonly scorers: readonly Scorer[];
  readonly factors?: ScaledFactors | undefined;
  /** By rank, ascending. */
  readonly variants: readonly Variant[];
}

function prepare(input: EvaluateInput): (from: number, to: number) => void {
  const { list, relevantOffsets, relevant, scorers, variants, users } = input;
  const n = listLength;
  const recommend = recommender(input);
  return (from, to) => {
    for (let index = from; index < to; index++) {
      const places = Array.from(
        { length: scorers.length * variants.length },
        (_, candidate) => candidate * users.length + index,
      );
      recommend(
        index,
        places.map((place) => list.subarray(place * n, (place + 1) * n)),
      );
      const held = new Set(relevant.subarray(relevantOffsets[index], relevantOffsets[index + 1]));
      for (const place of places) measureList(input, place, list.subarray(place * n, (place + 1) * n), held);
    }
  };
}

export const evaluation: Kernel<EvaluateInput> = { name: 'evaluation', prepare };

/** Writes one list per scorer and variant. */
function recommender(input: EvaluateInput): (index: number, into: readonly Uint32Array[]) => void {
  const { seen, seenOffsets, scorers, variants, factors } = input;
  const items = scorers[0]!.items;
  const isSeen = new Uint8Array(items);
  const sums = new Sums(input, scorers);
  // The items after those that are re-ranked may follow them in the list, with the score they have.
  const best = new TopK(factors ? bestItems + listLength : listLength);
  const rerankers = factors && scorers.map(({ recency }) => reranker(input, items, recency, factors, best));
  return (index, into) => {
    for (let cell = seenOffsets[index]!; cell < seenOffsets[index + 1]!; cell++) isSeen[seen[cell]!] = 1;
    sums.read(index);
    for (const [scorer, { popular }] of scorers.entries()) {
      best.clear();
      sums.offer(scorer, isSeen, best);
      best.sort();
      const rerank = rerankers?.[scorer];
      rerank?.read(index);
      for (const [place, variant] of variants.entries()) {
        const list = into[scorer * variants.length + place]!;
        const ranked = rerank?.rank(variant) ?? best;
        list.set(ranked.indices.subarray(0, ranked.size));
        let size = ranked.size;
        for (let rank = 0; size < listLength && rank < items; rank++) {
          const item = popular[rank]!;
          if (isSeen[item] === 0 && !list.subarray(0, size).includes(item)) list[size++] = item;
        }
        list.fill(noItem, size);
      }
    }
    for (let cell = seenOffsets[index]!; cell < seenOffsets[index + 1]!; cell++) isSeen[seen[cell]!] = 0;
  };
}

/** Adds the low-rank part as serving does (refine.ts): to the best items, whose order it changes. */
function reranker(questions: Questions, items: number, recency: number, factors: ScaledFactors, best: TopK) {
  const matcher = new FactorMatcher(questions, items, recency, factors);
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
  const [evaluated] = await evaluateScorers(questions, [scorer], executor);
  return evaluated!;
}

/** Several scorers of fits that were made at once, without low-rank parts: they share most of the work. */
export function evaluateScorers(
  questions: Questions,
  scorers: readonly Scorer[],
  executor: Executor,
): Promise<Evaluation[]> {
  return run({ ...questions, scorers, variants: [noVariant] }, executor);
}

/** Several low-rank parts at once, by ascending rank: they share most of the work. */
export function evaluateVariants(
  questions: Questions,
  scorer: Scorer,
  executor: Executor,
  factors: ScaledFactors | undefined,
  variants: readonly Variant[],
): Promise<Evaluation[]> {
  return run({ ...questions, scorers: [scorer], factors, variants }, executor);
}

async function run(input: Omit<EvaluateInput, keyof Evaluation>, executor: Executor): Promise<Evaluation[]> {
  const { users, scorers, variants } = input;
  const { all, each } = newEvaluations(scorers.length * variants.length, users.length);
  await executor.run(evaluation, { ...input, ...all }, users.length);
  return each;
}
