import { sharedF32 } from '../../arrays.ts';
import { type Evaluation, gainOf, listLength, newEvaluations, noItem } from '../../metrics.ts';
import type { Executor, Kernel } from '../../parallel.ts';
import { TopK } from '../../top-k.ts';
import type { Questions } from '../evaluate.ts';
import type { G1Model } from '../model.ts';
import { mostPopular } from '../scorer.ts';
import { MapReader, mapWeight, refinedItems } from './item-map.ts';
import type { ItemMap, MapParameters } from './map.ts';

/** Measures several ways to weigh one map at once: a user's scores are the same for all of them. */
interface MapInput extends Questions {
  readonly items: number;
  readonly recency: number;
  readonly rowOffsets: Uint32Array;
  readonly target: Uint32Array;
  readonly value: Int8Array;
  readonly rowScale: Float32Array;
  readonly popular: Uint32Array;
  readonly mapOffsets: Uint32Array;
  readonly mapFeature: Uint32Array;
  readonly mapValue: Int8Array;
  readonly mapScale: Float32Array;
  readonly features: number;
  readonly itemOffsets: Uint32Array;
  readonly itemFeature: Uint32Array;
  readonly few: Uint32Array;
  /** By candidate and item, the weight of the map. */
  readonly weights: Float32Array;
  readonly candidates: number;
  /** By candidate, then as in `Evaluation`. */
  readonly list: Uint32Array;
  readonly recall: Float32Array;
  readonly ndcg: Float32Array;
}

export const mapEvaluation: Kernel<MapInput> = { name: 'map evaluation', prepare };

function prepare(input: MapInput): (from: number, to: number) => void {
  const { list, recall, ndcg, relevantOffsets, relevant, candidates } = input;
  const count = input.users.length;
  const rank = ranker(input);
  return (from, to) => {
    for (let index = from; index < to; index++) {
      const held = new Set(relevant.subarray(relevantOffsets[index], relevantOffsets[index + 1]));
      const ranked = rank(index);
      for (let candidate = 0; candidate < candidates; candidate++) {
        const place = candidate * count + index;
        const into = list.subarray(place * listLength, (place + 1) * listLength);
        const reached = gainOf(into.subarray(0, ranked(candidate, into)), held);
        recall[place] = reached.recall;
        ndcg[place] = reached.ndcg;
      }
    }
  };
}

function ranker(input: MapInput) {
  const { items, offsets, token, weight, age, hint, seen, seenOffsets, recency, few, popular } = input;
  const { rowOffsets, target, value, rowScale } = input;
  const phi = { offsets: input.itemOffsets, column: input.itemFeature };
  const rows = {
    offsets: input.mapOffsets,
    feature: input.mapFeature,
    value: input.mapValue,
    scale: input.mapScale,
  };
  const reader = new MapReader({ rows, features: input.features });
  const score = new Float64Array(items);
  const mapped = new Float64Array(items);
  /** 1: touched, 2: seen, 4: few events. */
  const state = new Uint8Array(items);
  for (const item of few) state[item] = 4;
  const touched = new Uint32Array(items);
  const highest = new TopK(refinedItems);
  const best = new TopK(listLength);
  let size = 0;
  const touch = (item: number) => {
    if (state[item]! & 1) return;
    state[item]! |= 1;
    touched[size++] = item;
  };
  const clear = () => {
    for (let place = 0; place < size; place++) {
      const item = touched[place]!;
      score[item] = mapped[item] = 0;
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
    for (const item of excluded) state[item]! |= 2;
    highest.clear();
    for (let place = 0; place < size; place++) {
      const item = touched[place]!;
      if (state[item] === 1 && score[item]! > 0) highest.offer(item, score[item]!);
    }
    for (let place = 0; place < highest.size; place++) {
      const item = highest.indices[place]!;
      mapped[item] = reader.of(phi, item);
    }
    for (const item of few) {
      if (state[item]! & 2) continue;
      const amount = reader.of(phi, item);
      if (amount === 0) continue;
      touch(item);
      mapped[item] = amount;
    }
    for (const item of excluded) state[item]! &= ~2;
    const isExcluded = new Set(excluded);
    return (candidate: number, into: Uint32Array): number => {
      const weights = input.weights.subarray(candidate * items, (candidate + 1) * items);
      best.clear();
      for (let place = 0; place < size; place++) {
        const item = touched[place]!;
        const total = score[item]! + weights[item]! * mapped[item]!;
        if (total > 0 && best.takes(item, total) && !isExcluded.has(item)) best.offer(item, total);
      }
      best.sort();
      into.set(best.indices.subarray(0, best.size));
      let filled = best.size;
      for (let place = 0; filled < listLength && place < items; place++) {
        const item = popular[place]!;
        if (!isExcluded.has(item) && !into.subarray(0, filled).includes(item)) into[filled++] = item;
      }
      into.fill(noItem, filled);
      return filled;
    };
  };
}

/** One evaluation per candidate, each with the same map. */
export async function evaluateMap(
  questions: Questions,
  model: G1Model,
  map: ItemMap,
  candidates: readonly MapParameters[],
  executor: Executor,
): Promise<Evaluation[]> {
  const { items } = model;
  const weights = sharedF32(candidates.length * items);
  for (const [place, candidate] of candidates.entries())
    for (let item = 0; item < items; item++)
      weights[place * items + item] = mapWeight(candidate, map.events[item]!);
  const count = questions.users.length;
  const { all, each } = newEvaluations(candidates.length, count);
  const input: MapInput = {
    ...questions,
    items,
    recency: model.parameters.recency,
    rowOffsets: model.offsets,
    target: model.target,
    value: model.value,
    rowScale: model.rowScale,
    popular: mostPopular(Float64Array.from(model.popularity), items),
    mapOffsets: map.rows.offsets,
    mapFeature: map.rows.feature,
    mapValue: map.rows.value,
    mapScale: map.rows.scale,
    features: map.features.count,
    itemOffsets: map.phi.offsets,
    itemFeature: map.phi.column,
    few: map.few,
    weights,
    candidates: candidates.length,
    ...all,
  };
  await executor.run(mapEvaluation, input, count);
  return each;
}
