import type { ExperimentMetric, Response } from '@tastegraph/contract';
import type { Context } from '../http/context.ts';
import { dayMs } from '../outcomes/log/keys.ts';
import { explainVerdict } from './explain-verdict.ts';
import type { Figures } from './figures.ts';
import { momentsOf } from './figures.ts';
import { getExperiment } from './get-experiment.ts';
import { intervalsOf, type JudgedDay, type Judgement, judgeExperiment } from './judge-experiment.ts';
import type { ExperimentRow } from './rows/experiments.ts';
import { findFigures } from './rows/figures.ts';

type Results = Response<'getExperiment'>;
type Measured = Results['results'][number]['clicked'];

interface ExperimentResults {
  readonly experiment: ExperimentRow;
  readonly figures: Pick<Results, 'measured_ts' | 'message' | 'sample_ratio' | 'results' | 'days'>;
}

/** The experiment and its figures, as of the last run of a worker. */
export async function getResults(
  ctx: Context,
  projectId: string,
  experimentId: string,
): Promise<ExperimentResults> {
  const experiment = await getExperiment(ctx, projectId, experimentId);
  const stored = await findFigures<Figures>(ctx.db, experiment.experiment_key);
  const judgement = judgeExperiment(experiment, stored?.figures ?? null);
  return {
    experiment,
    figures: {
      measured_ts: stored?.measured_ts ?? null,
      message: explainVerdict(experiment, judgement),
      sample_ratio: { p_value: judgement.pValue, is_mismatch: judgement.isMismatch },
      results: resultsOf(experiment, judgement),
      days: judgement.days.map((day) => dayOf(experiment, day)),
    },
  };
}

function resultsOf({ variants }: ExperimentRow, { total, verdicts }: Judgement): Results['results'] {
  const measures = {
    clicked: measuresOf(total, 'CLICKED'),
    converted: measuresOf(total, 'CONVERTED'),
    target_events: measuresOf(total, 'TARGET_EVENTS'),
    value: measuresOf(total, 'VALUE'),
  };
  return variants.map(({ name }, index) => ({
    name,
    users: total.sums[index]?.users ?? 0,
    answers: total.sums[index]?.answers ?? 0,
    fallbacks: total.sums[index]?.fallbacks ?? 0,
    measured_users: total.sums[index]?.measured ?? 0,
    clicked: measures.clicked[index] as Measured,
    converted: measures.converted[index] as Measured,
    target_events: measures.target_events[index] as Measured,
    value: measures.value[index] as Measured,
    verdict: verdicts[index] ?? 'UNDECIDED',
  }));
}

/** One per variant. */
function measuresOf({ sums }: Judgement['total'], metric: ExperimentMetric): Measured[] {
  const intervals = intervalsOf(sums, metric);
  return sums.map((one, index) => {
    const { users, sum } = momentsOf(one, metric);
    return { total: sum, rate: users > 0 ? sum / users : null, ...rangeOf(intervals[index]) };
  });
}

function dayOf(
  { variants, metric }: ExperimentRow,
  { day, sums, intervals }: JudgedDay,
): Results['days'][number] {
  return {
    day: new Date(day * dayMs).toISOString().slice(0, 10),
    variants: sums.map((one, index) => {
      const { users, sum } = momentsOf(one, metric);
      return {
        name: variants[index]?.name ?? '',
        users: one.users,
        measured_users: users,
        rate: users > 0 ? sum / users : null,
        ...rangeOf(intervals[index]),
      };
    }),
  };
}

function rangeOf(interval: JudgedDay['intervals'][number]): Pick<Measured, 'difference' | 'low' | 'high'> {
  if (!interval) return { difference: null, low: null, high: null };
  return { difference: interval.difference, low: interval.low, high: interval.high };
}
