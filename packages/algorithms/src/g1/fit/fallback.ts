import type { Interactions } from '../../data/interactions.ts';
import { holdOutNewest } from '../../data/split.ts';
import { evaluateScorer } from '../../evaluation/evaluate-scorer.ts';
import { partUsers } from '../../evaluation/part-users.ts';
import { chooseHalfLife, fewestUsers, never } from '../../popular/decay.ts';
import { fitPopular } from '../../popular/model.ts';
import { PopularScorer } from '../../popular/scorer.ts';

/** What remains of an old item's popularity: too little to compete, enough that old items keep their order. */
const lastingShare = 1e-3;

/**
 * The half-life of the popularity that answers users without events and fills up short lists, chosen as POPULAR chooses
 * it: by predicting the newest events from those before. Without usable times, popularity does not decay.
 */
export function fallbackHalfLife(events: Interactions, seed: number): number {
  const { split, heldOut } = holdOutNewest(events, seed);
  // New users count here too: they are the ones that popularity is for.
  const { validation } = partUsers({ ...split, coldUsers: new Uint32Array() }, seed);
  if (heldOut !== 'latest' || validation.length < fewestUsers) return never;
  return chooseHalfLife((days) => {
    const model = fitPopular({ events: split.train }, days, undefined);
    return evaluateScorer(new PopularScorer(model), split, undefined, validation).ndcg;
  });
}

/** By item: the decayed popularity `recent`, scaled to the sum of `degree`, which is the popularity without decay. */
export function fallbackPopularity(recent: Float64Array, degree: Float64Array): Float64Array {
  const scale = sum(degree.subarray(0, recent.length)) / sum(recent);
  if (!Number.isFinite(scale)) return degree;
  return recent.map((value, item) => (1 - lastingShare) * scale * value + lastingShare * degree[item]!);
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
