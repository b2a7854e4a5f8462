import {
  adjustByPast,
  checkSampleRatio,
  compareVariants,
  type Moments,
  type PairedMoments,
  seededRandom,
} from '@tastegraph/algorithms';
import type { Report } from '../report.ts';

/** A shop of 50,000 users over three weeks, as in the simulated shop of the other benchmarks. */
const usersPerDay = 2400;
const days = 21;
/** How long a power simulation may go on. */
const maxDays = 90;
/** The share of active users, and how often each kind has a target event before and during the experiment. */
const activeShare = 0.3;
const rates = { active: 0.45, others: 0.1 };
const rate = activeShare * rates.active + (1 - activeShare) * rates.others;

/**
 * How often the verdicts of experiments are wrong, and how many users they need. Every simulated experiment is looked at every day, and
 * stopped at the first verdict, by the functions that judge real ones.
 */
export async function benchExperiments(quick: boolean): Promise<Report> {
  const experiments = quick ? 300 : 1000;
  const same = { plain: 0, adjusted: 0, mismatch: 0, naive: 0 };
  for (let seed = 1; seed <= experiments; seed++) {
    const run = simulate(seed, 0, days, 0.5);
    if (run.plainDays !== undefined) same.plain++;
    if (run.adjustedDays !== undefined) same.adjusted++;
    if (run.hasMismatch) same.mismatch++;
    if (run.naiveDays !== undefined) same.naive++;
  }
  const share = (count: number) => count / experiments;
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`;

  const pairs = quick ? 50 : 200;
  const needed = { plain: [] as number[], adjusted: [] as number[] };
  let worse = 0;
  for (let seed = 1; seed <= pairs; seed++) {
    const run = simulate(100_000 + seed, 0.05, maxDays, 0.5);
    needed.plain.push((run.plainDays ?? Number.POSITIVE_INFINITY) * usersPerDay);
    needed.adjusted.push((run.adjustedDays ?? Number.POSITIVE_INFINITY) * usersPerDay);
    if (run.isWorse) worse++;
  }
  // Two variants, 80 % power, 5 % error: 2 * 2 * (1.96 + 0.84)^2 * variance / difference^2.
  const textbook = (4 * (1.96 + 0.84) ** 2 * rate * (1 - rate)) / (0.05 * rate) ** 2;
  const usersFor = (values: readonly number[], power: number) =>
    values.toSorted((a, b) => a - b)[Math.ceil(power * values.length) - 1] ?? Number.NaN;
  const mismatches = pairs;
  let found = 0;
  for (let seed = 1; seed <= mismatches; seed++)
    if (simulate(200_000 + seed, 0, days, 0.48).hasMismatch) found++;

  return {
    bench: 'experiments',
    tables: [
      {
        title: `A/A: ${experiments} experiments without a difference, ${usersPerDay * days} users, looked at daily for ${days} days`,
        rows: [
          { verdict: 'wrong, sequential interval', share: percent(share(same.plain)) },
          { verdict: 'wrong, with the past of the users (CUPED)', share: percent(share(same.adjusted)) },
          { verdict: 'wrong, textbook interval looked at daily', share: percent(share(same.naive)) },
          { verdict: 'sample-ratio mismatch', share: percent(share(same.mismatch)) },
        ],
      },
      {
        title: `A true +5 % of ${percent(rate)}: users until the verdict, ${pairs} experiments`,
        rows: [
          {
            method: 'textbook, one look, 80 % power',
            'users for 80 %': Math.round(textbook),
            'users for 50 %': '',
          },
          {
            method: 'sequential, daily looks',
            'users for 80 %': usersFor(needed.plain, 0.8),
            'users for 50 %': usersFor(needed.plain, 0.5),
          },
          {
            method: 'sequential, with the past (CUPED)',
            'users for 80 %': usersFor(needed.adjusted, 0.8),
            'users for 50 %': usersFor(needed.adjusted, 0.5),
          },
        ],
      },
    ],
    goals: [
      {
        text: `A/A: ${percent(share(same.plain))} and, with CUPED, ${percent(share(same.adjusted))} wrong verdicts (at most 5 %)`,
        reached: share(same.plain) <= 0.05 && share(same.adjusted) <= 0.05,
      },
      {
        text: `A/A: ${percent(share(same.mismatch))} false sample-ratio mismatches (at most 1 %)`,
        reached: share(same.mismatch) <= 0.01,
      },
      {
        text: `shares of 48 to 52 instead of 50 to 50: ${percent(found / mismatches)} found (at least 90 %)`,
        reached: found / mismatches >= 0.9,
      },
      { text: `a true +5 %: ${worse} of ${pairs} verdicts WORSE (none)`, reached: worse === 0 },
    ],
    figures: {
      same,
      needed_80: usersFor(needed.adjusted, 0.8),
      plain_80: usersFor(needed.plain, 0.8),
      textbook,
    },
  };
}

interface Simulated {
  /** The day of the verdict; undefined if there was none. */
  readonly plainDays: number | undefined;
  readonly adjustedDays: number | undefined;
  /** The first day on which the textbook interval excludes 0. */
  readonly naiveDays: number | undefined;
  readonly hasMismatch: boolean;
  readonly isWorse: boolean;
}

/** Users come once, on one of the days, and have a value that depends on their past. */
function simulate(seed: number, uplift: number, lastDay: number, controlShare: number): Simulated {
  const random = seededRandom(seed);
  const sums = [newSums(), newSums()];
  let [plainDays, adjustedDays, naiveDays]: (number | undefined)[] = [];
  let [pValue, hasMismatch, isWorse] = [1, false, false];
  for (let day = 1; day <= lastDay; day++) {
    for (let user = 0; user < usersPerDay; user++) {
      const variant = random() < controlShare ? 0 : 1;
      const own = random() < activeShare ? rates.active : rates.others;
      const past = random() < own ? 1 : 0;
      const value = random() < own * (1 + (variant === 1 ? uplift : 0)) ? 1 : 0;
      const sum = sums[variant]!;
      sum.users++;
      sum.sum += value;
      sum.squares += value;
      sum.pastSum += past;
      sum.pastSquares += past;
      sum.products += value * past;
    }
    const ratio = checkSampleRatio(
      sums.map(({ users }) => users),
      [0.5, 0.5],
      pValue,
    );
    pValue = ratio.pValue;
    hasMismatch ||= ratio.isMismatch;
    const plain = verdictOf(sums);
    const adjusted = verdictOf(adjustByPast(sums));
    if (plain !== 'RUNNING') plainDays ??= day;
    if (adjusted !== 'RUNNING') adjustedDays ??= day;
    isWorse ||= plain === 'WORSE' || adjusted === 'WORSE';
    if (isNaivelyDifferent(sums)) naiveDays ??= day;
    if (uplift !== 0 && plainDays !== undefined && adjustedDays !== undefined) break;
  }
  return { plainDays, adjustedDays, naiveDays, hasMismatch, isWorse };
}

const newSums = () => ({ users: 0, sum: 0, squares: 0, pastSum: 0, pastSquares: 0, products: 0 });

const verdictOf = (variants: readonly Moments[]) => compareVariants(variants, false)[0]?.verdict ?? 'RUNNING';

function isNaivelyDifferent(sums: readonly PairedMoments[]): boolean {
  const [one, other] = sums.map(({ users, sum, squares }) => ({
    mean: sum / users,
    error: (squares / users - (sum / users) ** 2) / users,
  }));
  if (!one || !other) return false;
  return Math.abs(other.mean - one.mean) > 1.959964 * Math.sqrt(one.error + other.error);
}
