import type { Training } from '@tastegraph/algorithms';
import type { Goal } from '../report.ts';
import type { Score } from './measure.ts';

/** What one data set showed. Rows of the same table are printed together. */
export interface Outcome {
  readonly table: string;
  readonly rows: readonly Record<string, string | number>[];
  readonly goals: readonly Goal[];
  readonly figures: Record<string, unknown>;
}

/** Four digits, as the papers print them. */
export const place = (value: number) => value.toFixed(4);

/** Recall and NDCG between two scores: below is a loss, and above is a leak of what was to be predicted. */
export function goalOf(what: string, ours: Score, least: Score, most: Score): Goal {
  const range = (low: number, high: number) => `${place(low)} to ${place(high)}`;
  return {
    text:
      `${what}: Recall ${place(ours.recall)} (goal ${range(least.recall, most.recall)}), ` +
      `NDCG ${place(ours.ndcg)} (goal ${range(least.ndcg, most.ndcg)})`,
    reached:
      ours.recall >= least.recall &&
      ours.ndcg >= least.ndcg &&
      ours.recall <= most.recall &&
      ours.ndcg <= most.ndcg,
  };
}

export const times = ({ recall, ndcg }: Score, factor: number): Score => ({
  recall: recall * factor,
  ndcg: ndcg * factor,
});

/** What a training says of itself, without its model. */
export function describe(training: Training) {
  const { parameters, holdOut, fits, validation, popularity, coldUsers, coldItems } = training;
  return {
    ...{ parameters, hold_out: holdOut, fits, validation, validation_popularity: popularity },
    ...{ validation_cold_users: coldUsers, validation_cold_items: coldItems },
  };
}
