import type { Executor } from '../../kernels/parallel.ts';
import { sharedF32, sharedU32 } from '../../lib/arrays.ts';
import type { TrainingData } from '../../training.ts';
import { appendRows, type Entries } from '../data/entries.ts';
import type { EventWeights } from '../data/event-weights.ts';
import type { Pairs } from '../fit/find-pairs.ts';
import type { PairIndex } from '../fit/pair-index.ts';
import { targetsPerPair } from '../fit/pair-targets.ts';
import { makeScorer, mostPopular, type Taste } from '../fit/scorer.ts';
import { noFactors, type StoredFactors } from '../fit/stored-factors.ts';
import type { Transitions } from '../fit/transitions.ts';
import { learnMap } from '../items/item-map.ts';
import type { ItemMap } from '../items/map.ts';
import { type G1Parameters, profileFit } from '../parameters.ts';
import { type RowParts, type StoredRows, storeRows } from './model-rows.ts';

/**
 * What is stored and served: M by source, one row per token. Each value is quantized to 8 bits relative to the largest
 * of its row (recall and NDCG stay the same to four digits). Rows are the items, then the user attributes' values for
 * users with items, then the same values for users without items, then the token that every user has, then pairs of
 * items.
 */
export interface G1Model extends StoredRows {
  readonly parameters: G1Parameters;
  readonly items: number;
  readonly attributes: number;
  readonly weights: EventWeights;
  /** The popularity of each item: d_j, or what decays with time. */
  readonly popularity: Float32Array;
  readonly lowRank: StoredFactors;
  /** The pairs of items that have rows of their own, after all other rows; absent if none. */
  readonly pairs?: PairIndex;
  /** What the model learned of item attributes; absent if nothing. */
  readonly map?: ItemMap;
}

/** What a model is made of. */
export interface ModelParts {
  readonly taste: Taste;
  readonly transitions: Transitions | undefined;
  /** For users without events. */
  readonly profile: Taste;
  readonly weights: EventWeights;
  readonly popularity: Float64Array;
  readonly lowRank?: StoredFactors;
  readonly pairs: Pairs | undefined;
}

export async function buildModel(
  parameters: G1Parameters,
  { taste, transitions, profile, weights, popularity, lowRank = noFactors, pairs }: ModelParts,
  executor: Executor,
  windowBytes?: number,
): Promise<G1Model> {
  const { items, degree } = taste;
  const scorer = makeScorer(taste, transitions, parameters, degree, pairs);
  const { tasteScale, sourceScale, targetScale, transitionScale, pairScale, pairs: stored } = scorer;
  const attributes = degree.length - items - 1;
  const isDecayed = popularity !== degree;
  const rows = await storeRows(
    {
      items,
      attributes,
      taste: entriesOf(taste),
      tasteScale,
      sourceScale,
      targetScale,
      transitions,
      transitionScale,
      profile: entriesOf(profile),
      trend: isDecayed ? trendOf(popularity, taste) : undefined,
      popular: isDecayed ? popularRow(popularity, profile) : undefined,
      pairs: stored && entriesOfPairs(stored),
      pairScale,
    },
    executor,
    windowBytes,
  );
  const fallback = sharedF32(items);
  fallback.set(popularity.subarray(0, items));
  return {
    parameters,
    items,
    attributes,
    weights,
    ...rows,
    popularity: fallback,
    lowRank,
    ...(stored && { pairs: { offsets: stored.offsets, earlier: stored.earlier } }),
  };
}

/** The model with its map, if its items' attributes say anything. */
export async function addMap(
  model: G1Model,
  data: Pick<TrainingData, 'events' | 'itemAttributes' | 'itemColumns'>,
  executor: Executor,
): Promise<G1Model> {
  const map = await learnMap(model, model.parameters.map, data, executor);
  return map ? { ...model, map } : model;
}

const entriesOf = ({ support: { offsets, target }, weight }: Taste): Entries => ({ offsets, target, weight });

function entriesOfPairs({ count, target, weight }: Pairs): Entries {
  const offsets = sharedU32(count.length + 1);
  const entries = { offsets, target: sharedU32(target.length), weight: sharedF32(weight.length) };
  appendRows(offsets, { from: 0, to: count.length }, targetsPerPair, count, [
    { from: target, to: entries.target },
    { from: weight, to: entries.weight },
  ]);
  return entries;
}

/** A value's weight is by how much its users differ from all users, so it follows the item's popularity. */
function trendOf(popularity: Float64Array, { items, degree }: Taste): Float32Array {
  const trend = sharedF32(items);
  for (let item = 0; item < items; item++)
    if (degree[item]! > 0) trend[item] = popularity[item]! / degree[item]!;
  return trend;
}

/** The row of the token that every user has: the most popular items. */
function popularRow(popularity: Float64Array, { items, degree, support }: Taste): RowParts['popular'] {
  const users = degree.at(-1)! + profileFit.lambda;
  const item = mostPopular(popularity, items).subarray(0, support.k);
  return { item, amount: Float64Array.from(item, (one) => popularity[one]! / users) };
}
