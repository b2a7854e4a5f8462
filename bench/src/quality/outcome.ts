import type { Training } from '@tastegraph/algorithms/g1';
import type { Goal } from '../report.ts';
import type { Score } from './measure.ts';

/** The results for one data set. Rows with the same table title are printed together. */
export interface Outcome {
  readonly table: string;
  readonly rows: readonly Record<string, string | number>[];
  readonly goals: readonly Goal[];
  readonly figures: Record<string, unknown>;
}

/** Four digits, as in the papers. */
export const formatScore = (value: number) => value.toFixed(4);

/** Recall and NDCG must be in a range: below it, quality was lost; above it, test data has leaked into the training. */
export function goalOf(what: string, ours: Score, min: Score, max: Score): Goal {
  const range = (low: number, high: number) => `${formatScore(low)} to ${formatScore(high)}`;
  return {
    text:
      `${what}: Recall ${formatScore(ours.recall)} (goal ${range(min.recall, max.recall)}), ` +
      `NDCG ${formatScore(ours.ndcg)} (goal ${range(min.ndcg, max.ndcg)})`,
    reached:
      ours.recall >= min.recall &&
      ours.ndcg >= min.ndcg &&
      ours.recall <= max.recall &&
      ours.ndcg <= max.ndcg,
  };
}

export const scaleScore = ({ recall, ndcg }: Score, factor: number): Score => ({
  recall: recall * factor,
  ndcg: ndcg * factor,
});

/** The report of a training, without its model. */
export function describe(training: Training) {
  const { parameters, holdOut, fits, validationUsers, test, popularity, coldUsers, coldItems } = training;
  return {
    parameters,
    low_rank: lowRankOf(training),
    hold_out: holdOut,
    fits,
    validation_users: validationUsers,
    held_out_test: test,
    held_out_popularity: popularity,
    held_out_cold_users: coldUsers,
    held_out_cold_items: coldItems,
  };
}

/** What low-rank parts reach on the validation users: without one, and with the best; undefined if the data is too small for one. */
function lowRankOf({ tried }: Training) {
  const [without, ...parts] = tried.filter(({ step }) => step === 'low-rank part');
  if (!without || parts.length === 0) return undefined;
  const best = parts.reduce((one, other) => (other.ndcg20 > one.ndcg20 ? other : one));
  const { rank, lowRankWeight: weight } = best.parameters;
  return { without: without.ndcg20, best: best.ndcg20, rank, weight };
}
