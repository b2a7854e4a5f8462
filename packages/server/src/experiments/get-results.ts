import { minUsersPerVariant } from '@tastegraph/algorithms';
import type { ExperimentMetric, Response } from '@tastegraph/contract';
import type { Context } from '../http/context.ts';
import { dayMs } from '../outcomes/log/keys.ts';
import { momentsOf, noSums, type VariantSums } from './figures.ts';
import { getExperiment } from './get-experiment.ts';
import { intervalsOf, type JudgedDay, type Judgement, judgeExperiment } from './judge-experiment.ts';
import type { ExperimentRow } from './rows/experiments.ts';
import { findFigures } from './rows/figures.ts';

type Results = Response<'getExperiment'>;
type Measured = Results['results'][number]['clicked'];

/** The experiment and its figures, as of the last run of a worker. */
export async function getResults(ctx: Context, projectId: string, experimentId: string) {
  const experiment = await getExperiment(ctx, projectId, experimentId);
  const stored = await findFigures(ctx.db, experiment.experiment_key);
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
  const intervals = {
    CLICKED: intervalsOf(total.sums, 'CLICKED'),
    CONVERTED: intervalsOf(total.sums, 'CONVERTED'),
    TARGET_EVENTS: intervalsOf(total.sums, 'TARGET_EVENTS'),
    VALUE: intervalsOf(total.sums, 'VALUE'),
  };
  return variants.map(({ name }, index) => {
    const own = total.sums[index] ?? noSums;
    const measure = (metric: ExperimentMetric): Measured => ({
      total: momentsOf(own, metric).sum,
      rate: rateOf(own, metric),
      ...rangeOf(intervals[metric][index]),
    });
    return {
      name,
      users: own.users,
      answers: own.answers,
      fallbacks: own.fallbacks,
      measured_users: own.measured,
      clicked: measure('CLICKED'),
      converted: measure('CONVERTED'),
      target_events: measure('TARGET_EVENTS'),
      value: measure('VALUE'),
      verdict: verdicts[index] ?? 'UNDECIDED',
    };
  });
}

/** Per measured user; null without any. */
function rateOf(sums: VariantSums, metric: ExperimentMetric): number | null {
  const { users, sum } = momentsOf(sums, metric);
  return users > 0 ? sum / users : null;
}

function dayOf(
  { variants, metric }: ExperimentRow,
  { day, sums, intervals }: JudgedDay,
): Results['days'][number] {
  return {
    day: new Date(day * dayMs).toISOString().slice(0, 10),
    variants: sums.map((one, index) => ({
      name: variants[index]?.name ?? '',
      users: one.users,
      measured_users: one.measured,
      rate: rateOf(one, metric),
      ...rangeOf(intervals[index]),
    })),
  };
}

function rangeOf(interval: JudgedDay['intervals'][number]): Pick<Measured, 'difference' | 'low' | 'high'> {
  if (!interval) return { difference: null, low: null, high: null };
  return { difference: interval.difference, low: interval.low, high: interval.high };
}

const isShare = (metric: ExperimentMetric) => metric === 'CLICKED' || metric === 'CONVERTED';

const units: Readonly<Record<ExperimentMetric, string>> = {
  CLICKED: 'of users clicked a recommendation',
  CONVERTED: 'of users had a target event after a recommendation',
  TARGET_EVENTS: 'target events per user',
  VALUE: 'of value per user',
};

/** The verdict in words, with the figures it is based on. */
function explainVerdict(experiment: ExperimentRow, judgement: Judgement): string {
  const { verdict, winner, variants, metric } = experiment;
  const { total } = judgement;
  const [control] = variants;
  const showRate = (index: number) => show(metric, rateOf(total.sums[index] ?? noSums, metric) ?? 0);
  if (verdict === 'INVALID')
    return `The variants did not get their planned shares of the users (p = ${judgement.pValue.toPrecision(2)}), so no difference can be trusted. Look for calls that fail or time out in one variant, then start a new experiment.`;
  if (verdict === 'CONTROL_BETTER')
    return `\`${control?.name}\` is the best variant: ${showRate(0)} ${units[metric]}. All other variants are worse.`;
  const index = variants.findIndex(({ name }) => name === winner);
  if (verdict === 'VARIANT_BETTER' && index > 0) {
    const interval = total.intervals[index];
    const range = interval ? ` The difference is ${showRange(metric, interval)}.` : '';
    return `\`${winner}\` is better than \`${control?.name}\`: ${showRate(index)} instead of ${showRate(0)} ${units[metric]}.${range}`;
  }
  const fewest = Math.min(...total.sums.map(({ measured }) => measured));
  if (fewest < minUsersPerVariant)
    return `Undecided: every variant needs at least ${minUsersPerVariant} users whose ${experiment.window_hours} hours have passed; the smallest has ${fewest}.`;
  const ranges = total.intervals.flatMap((interval, at) =>
    interval ? [`\`${variants[at]?.name}\` is ${showRange(metric, interval)}`] : [],
  );
  return `Undecided: compared with \`${control?.name}\`, the difference of ${ranges.join(', and that of ')}, which includes 0.`;
}

function show(metric: ExperimentMetric, value: number): string {
  return isShare(metric) ? `${(value * 100).toFixed(2)}%` : String(Number(value.toPrecision(3)));
}

/** Two shares differ by percentage points: 5 % more of 20 % could be 21 %. */
function showRange(metric: ExperimentMetric, { low, high }: { low: number; high: number }): string {
  if (!isShare(metric)) return `between ${show(metric, low)} and ${show(metric, high)}`;
  return `between ${(low * 100).toFixed(2)} and ${(high * 100).toFixed(2)} percentage points`;
}
