import { checkSampleRatio, compareVariants, type SequentialInterval } from '@tastegraph/algorithms';
import type { ExperimentMetric, ExperimentVerdict } from '@tastegraph/contract';
import { addSums, type Figures, momentsOf, noSums, type VariantSums } from './figures.ts';

type VariantVerdict = 'CONTROL' | 'UNDECIDED' | 'BETTER' | 'WORSE' | 'INVALID';

/** Until the end of a day: the sums of each variant, and how it compares with the control; undefined for the control. */
export interface JudgedDay {
  readonly day: number;
  readonly sums: readonly VariantSums[];
  readonly intervals: readonly (SequentialInterval | undefined)[];
}

/** What of an experiment its judgement depends on. */
interface JudgedParts {
  readonly variants: readonly { readonly name: string; readonly share: number }[];
  readonly metric: ExperimentMetric;
}

export interface Judgement {
  readonly verdict: ExperimentVerdict;
  readonly winner: string | null;
  readonly pValue: number;
  readonly isMismatch: boolean;
  readonly verdicts: readonly VariantVerdict[];
  readonly days: readonly JudgedDay[];
  /** Over all days. */
  readonly total: Omit<JudgedDay, 'day'>;
}

/** The same figures give the same judgement, whenever computed. A difference beyond chance on one day stays: the intervals allow it. */
export function judgeExperiment({ variants, metric }: JudgedParts, figures: Figures | null): Judgement {
  const shares = planShares(variants.map(({ share }) => share));
  let sums: readonly VariantSums[] = variants.map(() => noSums);
  let pValue = 1;
  const days: JudgedDay[] = [];
  const found: VariantVerdict[] = variants.map((_, index) => (index === 0 ? 'CONTROL' : 'UNDECIDED'));
  for (const { day, variants: added } of figures?.days ?? []) {
    sums = sums.map((one, index) => addSums(one, added[index] ?? noSums));
    const users = sums.map((one) => one.users);
    pValue = checkSampleRatio(users, shares, pValue).pValue;
    const intervals = intervalsOf(sums, metric);
    for (const [index, interval] of intervals.entries())
      if (interval && found[index] === 'UNDECIDED')
        found[index] = interval.low > 0 ? 'BETTER' : interval.high < 0 ? 'WORSE' : 'UNDECIDED';
    days.push({ day, sums, intervals });
  }
  const nobody = variants.map(() => 0);
  const { isMismatch } = checkSampleRatio(nobody, shares, pValue);
  const total = { sums, intervals: intervalsOf(sums, metric) };
  const verdicts = isMismatch ? found.map((one) => (one === 'CONTROL' ? one : 'INVALID')) : found;
  return { ...decide(variants, verdicts, total), pValue, isMismatch, verdicts, days, total };
}

/** Of each variant and the control, by a metric; undefined for the control, and while there are too few users. */
export function intervalsOf(
  sums: readonly VariantSums[],
  metric: ExperimentMetric,
): (SequentialInterval | undefined)[] {
  const moments = sums.map((one) => momentsOf(one, metric));
  return [undefined, ...compareVariants(moments, false).map(({ interval }) => interval)];
}

/** The shares of those who take part. */
function planShares(shares: readonly number[]): number[] {
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}

function decide(
  variants: JudgedParts['variants'],
  verdicts: readonly VariantVerdict[],
  { intervals }: Judgement['total'],
): Pick<Judgement, 'verdict' | 'winner'> {
  if (verdicts.includes('INVALID')) return { verdict: 'INVALID', winner: null };
  const better = variants
    .map(({ name }, index) => ({ name, index, difference: intervals[index]?.difference ?? 0 }))
    .filter(({ index }) => verdicts[index] === 'BETTER')
    .toSorted((one, other) => other.difference - one.difference);
  if (better[0]) return { verdict: 'VARIANT_BETTER', winner: better[0].name };
  const isEveryWorse = verdicts.every((one) => one === 'CONTROL' || one === 'WORSE');
  if (isEveryWorse) return { verdict: 'CONTROL_BETTER', winner: variants[0]?.name ?? null };
  return { verdict: 'UNDECIDED', winner: null };
}
