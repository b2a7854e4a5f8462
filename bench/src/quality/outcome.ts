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

/** What a result is compared with. */
interface Standard {
  /** What G1 reached when it was last measured. The same data gives the same model, so anything less is a loss. */
  readonly measured: Score;
  /** What it should reach; reported beside the result. */
  readonly goal?: Score | undefined;
  /** A result above this would mean that test data has leaked into the training. */
  readonly max: Score;
}

/** A result may be lower than the last one by half a percent, for choices between candidates that are about equal. */
const guardShare = 0.995;

/** The bench fails if a result is below the last one, or too good to be true; not if a goal is not reached yet. */
export function guardOf(what: string, ours: Score, { measured, goal, max }: Standard): Goal {
  const min = scaleScore(measured, guardShare);
  const state = (name: keyof Score) => {
    if (!goal) return '';
    const isReached = Number(formatScore(ours[name])) >= goal[name];
    return `; goal ${formatScore(goal[name])}, ${isReached ? 'reached' : 'not reached yet'}`;
  };
  const compare = (name: keyof Score) =>
    `${formatScore(ours[name])} (allowed ${formatScore(min[name])} to ${formatScore(max[name])}${state(name)})`;
  return {
    text: `${what}: Recall ${compare('recall')}, NDCG ${compare('ndcg')}`,
    reached: (['recall', 'ndcg'] as const).every(
      (name) => ours[name] >= min[name] && ours[name] <= max[name],
    ),
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
