import { minUsersPerVariant } from '@tastegraph/algorithms';
import type { ExperimentMetric } from '@tastegraph/contract';
import { momentsOf } from './figures.ts';
import type { Judgement } from './judge-experiment.ts';
import type { ExperimentRow } from './rows/experiments.ts';

const isShare = (metric: ExperimentMetric) => metric === 'CLICKED' || metric === 'CONVERTED';

const units: Readonly<Record<ExperimentMetric, string>> = {
  CLICKED: 'of users clicked a recommendation',
  CONVERTED: 'of users had a target event after a recommendation',
  TARGET_EVENTS: 'target events per user',
  VALUE: 'of value per user',
};

/** The verdict in words, with the figures it is based on. */
export function explainVerdict(experiment: ExperimentRow, judgement: Judgement): string {
  const { verdict, winner, variants } = experiment;
  const { total } = judgement;
  const [control] = variants;
  const { metric } = experiment;
  const rateOf = (index: number) => {
    const sums = total.sums[index];
    const { sum, users } = sums ? momentsOf(sums, metric) : { sum: 0, users: 0 };
    return show(metric, users > 0 ? sum / users : 0);
  };
  if (verdict === 'INVALID')
    return `The variants did not get their planned shares of the users (p = ${judgement.pValue.toPrecision(2)}), so no difference can be trusted. Look for calls that fail or time out in one variant, then start a new experiment.`;
  if (verdict === 'CONTROL_BETTER')
    return `\`${control?.name}\` is the best variant: ${rateOf(0)} ${units[metric]}. All other variants are worse.`;
  const index = variants.findIndex(({ name }) => name === winner);
  if (verdict === 'VARIANT_BETTER' && index > 0) {
    const interval = total.intervals[index];
    const range = interval ? ` The difference is ${showRange(metric, interval)}.` : '';
    return `\`${winner}\` is better than \`${control?.name}\`: ${rateOf(index)} instead of ${rateOf(0)} ${units[metric]}.${range}`;
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
