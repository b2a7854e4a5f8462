import {
  type Evaluation,
  listLength,
  measureList,
  newEvaluations,
  noItem,
} from '../../evaluation/metrics.ts';
import type { Executor, Kernel } from '../../kernels/parallel.ts';
import { sharedF32 } from '../../lib/arrays.ts';
import { TopK } from '../../lib/top-k.ts';
import type { ScaledFactors } from '../../low-rank/scale.ts';
import { eachPair, type PairIndex } from '../fit/pair-index.ts';
import { mostPopular } from '../fit/scorer.ts';
import { MapReader, mapWeight } from '../items/item-map.ts';
import type { ItemMap, MapParameters, ModelRows } from '../items/map.ts';
import { bestItems } from '../model/best-items.ts';
import type { G1Model } from '../model/model.ts';
import { FactorMatcher, noVariant, type Variant } from './match-factors.ts';
import type { Questions } from './questions.ts';

/** Several weights of one map and several low-rank parts at once: scores by M are the same for all. `Evaluation` is by variant and candidate. */
interface MapInput extends Questions, Evaluation {
  readonly rows: ModelRows;
  readonly recency: number;
  readonly pairs: PairIndex | undefined;
  /** The row of the first pair. */
  readonly firstPair: number;
  readonly popular: Uint32Array;
  readonly map: ItemMap;
  /** By candidate and item, the weight of the map. */
  readonly weights: Float32Array;
  readonly candidates: number;
  readonly factors: ScaledFactors | undefined;
  /** By rank, ascending. */
  readonly variants: readonly Variant[];
}

export const mapEvaluation: Kernel<MapInput> = { name: 'map evaluation', prepare };

function prepare(input: MapInput): (from: number, to: number) => void {
  const { list, relevantOffsets, relevant, candidates, variants } = input;
  const count = input.users.length;
  const rank = ranker(input);
  return (from, to) => {
    for (let index = from; index < to; index++) {
      const held = new Set(relevant.subarray(relevantOffsets[index], relevantOffsets[index + 1]));
      const ranked = rank(index);
      for (let number = 0; number < variants.length * candidates; number++) {
        const place = number * count + index;
        const into = list.subarray(place * listLength, (place + 1) * listLength);
        measureList(input, place, into.subarray(0, ranked(number, into)), held);
      }
    }
  };
}

function ranker(input: MapInput) {
  const { offsets, token, weight, age, hint, seen, seenOffsets, recency, popular } = input;
  const { items, offsets: rowOffsets, target, value, rowScale } = input.rows;
  const { phi, few, rows, features } = input.map;
  const reader = new MapReader({ rows, features: features.count });
  const score = new Float64Array(items);
  const mapped = new Float64Array(items);
  const gained = new Float64Array(items);
  /** 1: touched, 2: seen, 4: few events. */
  const state = new Uint8Array(items);
  for (const item of few) state[item] = 4;
  const touched = new Uint32Array(items);
  const highest = new TopK(bestItems);
  const top = new TopK(listLength);
  const matcher = input.factors && new FactorMatcher(input, items, recency, input.factors);
  let size = 0;
  const touch = (item: number) => {
    if (state[item]! & 1) return;
    state[item]! |= 1;
    touched[size++] = item;
  };
  const clear = () => {
    for (let place = 0; place < size; place++) {
      const item = touched[place]!;
      score[item] = mapped[item] = gained[item] = 0;
      state[item]! &= ~1;
    }
    size = 0;
  };
  return (index: number) => {
    clear();
    reader.clear();
    const excluded = seen.subarray(seenOffsets[index], seenOffsets[index + 1]);
    for (let cell = offsets[index]!; cell < offsets[index + 1]!; cell++) {
      const row = token[cell]!;
      const strength = weight[cell]! * (1 + age[cell]!) ** -recency;
      reader.add(row, strength);
      const scaled = strength * rowScale[row]!;
      for (let place = rowOffsets[row]!; place < rowOffsets[row + 1]!; place++) {
        touch(target[place]!);
        score[target[place]!]! += scaled * value[place]!;
      }
      if (hint[cell]! > 0 && row < items) {
        touch(row);
        score[row]! += hint[cell]!;
      }
    }
    if (input.pairs)
      eachPair(input.pairs, input, offsets[index]!, offsets[index + 1]!, (pair, cell, factor) => {
        const row = input.firstPair + pair;
        const scaled = factor * weight[cell]! * (1 + age[cell]!) ** -recency * rowScale[row]!;
        for (let place = rowOffsets[row]!; place < rowOffsets[row + 1]!; place++) {
          touch(target[place]!);
          score[target[place]!]! += scaled * value[place]!;
        }
      });
    for (const item of excluded) state[item]! |= 2;
    highest.clear();
    for (let place = 0; place < size; place++) {
      const item = touched[place]!;
      if ((state[item]! & 2) === 0 && score[item]! > 0) highest.offer(item, score[item]!);
    }
    const best = highest.indices.subarray(0, highest.size);
    for (const item of best) mapped[item] = reader.of(phi, item);
    for (const item of few) {
      if (state[item]! & 2) continue;
      const amount = reader.of(phi, item);
      if (amount === 0) continue;
      touch(item);
      mapped[item] = amount;
    }
    for (const item of excluded) state[item]! &= ~2;
    const isExcluded = new Set(excluded);
    matcher?.read(index);
    let gainedOf = -1;
    return (number: number, into: Uint32Array): number => {
      const candidate = number % input.candidates;
      const variant = Math.floor(number / input.candidates);
      if (matcher && gainedOf !== variant) {
        const gains = matcher.gains(best, input.variants[variant]!);
        for (const [place, item] of best.entries()) gained[item] = gains[place]!;
        gainedOf = variant;
      }
      const weights = input.weights.subarray(candidate * items, (candidate + 1) * items);
      top.clear();
      for (let place = 0; place < size; place++) {
        const item = touched[place]!;
        const total = score[item]! + weights[item]! * mapped[item]! + gained[item]!;
        if (total > 0 && top.takes(item, total) && !isExcluded.has(item)) top.offer(item, total);
      }
      top.sort();
      into.set(top.indices.subarray(0, top.size));
      let filled = top.size;
      for (let place = 0; filled < listLength && place < items; place++) {
        const item = popular[place]!;
        if (!isExcluded.has(item) && !into.subarray(0, filled).includes(item)) into[filled++] = item;
      }
      into.fill(noItem, filled);
      return filled;
    };
  };
}

/** One evaluation per low-rank part and candidate, each with the same map. */
export async function evaluateMap(
  questions: Questions,
  model: G1Model,
  map: ItemMap,
  candidates: readonly MapParameters[],
  executor: Executor,
  factors?: ScaledFactors,
  variants: readonly Variant[] = [noVariant],
): Promise<Evaluation[]> {
  const { items, offsets, target, value, rowScale } = model;
  const weights = sharedF32(candidates.length * items);
  for (const [place, candidate] of candidates.entries())
    for (let item = 0; item < items; item++)
      weights[place * items + item] = mapWeight(candidate, map.events[item]!);
  const count = questions.users.length;
  const { all, each } = newEvaluations(variants.length * candidates.length, count);
  const input: MapInput = {
    ...questions,
    rows: { items, offsets, target, value, rowScale },
    recency: model.parameters.recency,
    pairs: model.pairs,
    firstPair: items + 2 * model.attributes + 1,
    popular: mostPopular(Float64Array.from(model.popularity), items),
    map,
    weights,
    candidates: candidates.length,
    factors,
    variants,
    ...all,
  };
  await executor.run(mapEvaluation, input, count);
  return each;
}
