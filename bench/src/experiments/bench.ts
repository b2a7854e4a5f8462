import { checkSampleRatio, compareVariants, type Moments, seededRandom } from '@tastegraph/algorithms';
import { percentile, type Report } from '../report.ts';

/** A shop of 50,000 users over three weeks, as in the simulated shop of the other benchmarks. */
const usersPerDay = 2400;
const days = 21;
/** How long a power simulation may go on. */
const maxDays = 90;
/** The share of active users, and how often each kind has a target event. */
const activeShare = 0.3;
const rates = { active: 0.45, others: 0.1 };
const rate = activeShare * rates.active + (1 - activeShare) * rates.others;

/**
 * How often the verdicts of experiments are wrong, and how many users they need. Every simulated experiment is looked at every day, and
 * stopped at the first verdict, by the functions that judge real ones.
 */
export async function benchExperiments(quick: boolean): Promise<Report> {
  const experiments = quick ? 300 : 1000;
  const same = { sequential: 0, mismatch: 0, naive: 0 };
  for (let seed = 1; seed <= experiments; seed++) {
    const run = simulate(seed, 0, days, 0.5);
    if (run.verdictDays !== undefined) same.sequential++;
    if (run.hasMismatch) same.mismatch++;
    if (run.naiveDays !== undefined) same.naive++;
  }
  const share = (count: number) => count / experiments;
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`;

  const pairs = quick ? 50 : 200;
  const needed: number[] = [];
  let worse = 0;
  for (let seed = 1; seed <= pairs; seed++) {
    const run = simulate(100_000 + seed, 0.05, maxDays, 0.5);
    needed.push((run.verdictDays ?? Number.POSITIVE_INFINITY) * usersPerDay);
    if (run.isWorse) worse++;
  }
  // Two variants, 80 % power, 5 % error: 2 * 2 * (1.96 + 0.84)^2 * variance / difference^2.
  const textbook = (4 * (1.96 + 0.84) ** 2 * rate * (1 - rate)) / (0.05 * rate) ** 2;
  const usersFor = (power: number) => percentile(needed, 100 * power);
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
          { verdict: 'wrong, sequential interval', share: percent(share(same.sequential)) },
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
            'users for 80 %': usersFor(0.8),
            'users for 50 %': usersFor(0.5),
          },
        ],
      },
    ],
    goals: [
      {
        text: `A/A: ${percent(share(same.sequential))} wrong verdicts (at most 5 %)`,
        reached: share(same.sequential) <= 0.05,
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
    figures: { same, needed_80: usersFor(0.8), textbook },
  };
}

interface Simulated {
  /** The day of the verdict; undefined if there was none. */
  readonly verdictDays: number | undefined;
  /** The first day on which the textbook interval excludes 0. */
  readonly naiveDays: number | undefined;
  readonly hasMismatch: boolean;
  readonly isWorse: boolean;
}

/** Users come once, on one of the days. */
function simulate(seed: number, uplift: number, lastDay: number, controlShare: number): Simulated {
  const random = seededRandom(seed);
  const sums = [newSums(), newSums()];
  let [verdictDays, naiveDays]: (number | undefined)[] = [];
  let [pValue, hasMismatch, isWorse] = [1, false, false];
  for (let day = 1; day <= lastDay; day++) {
    for (let user = 0; user < usersPerDay; user++) {
      const variant = random() < controlShare ? 0 : 1;
      const own = random() < activeShare ? rates.active : rates.others;
      const value = random() < own * (1 + (variant === 1 ? uplift : 0)) ? 1 : 0;
      const sum = sums[variant]!;
      sum.users++;
      sum.sum += value;
      sum.squares += value;
    }
    const ratio = checkSampleRatio(
      sums.map(({ users }) => users),
      [0.5, 0.5],
      pValue,
    );
    pValue = ratio.pValue;
    hasMismatch ||= ratio.isMismatch;
    const verdict = compareVariants(sums, false)[0]?.verdict ?? 'RUNNING';
    if (verdict !== 'RUNNING') verdictDays ??= day;
    isWorse ||= verdict === 'WORSE';
    if (isNaivelyDifferent(sums)) naiveDays ??= day;
    if (uplift !== 0 && verdictDays !== undefined) break;
  }
  return { verdictDays, naiveDays, hasMismatch, isWorse };
}

const newSums = () => ({ users: 0, sum: 0, squares: 0 });

function isNaivelyDifferent(sums: readonly Moments[]): boolean {
  const [one, other] = sums.map(({ users, sum, squares }) => ({
    mean: sum / users,
    error: (squares / users - (sum / users) ** 2) / users,
  }));
  if (!one || !other) return false;
  return Math.abs(other.mean - one.mean) > 1.959964 * Math.sqrt(one.error + other.error);
}
