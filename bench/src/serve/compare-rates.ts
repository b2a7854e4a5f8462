import { cpuSeconds } from '../cpu.ts';
import { type Goal, percentile } from '../report.ts';
import { flood, type Target } from './load.ts';

export interface Way {
  readonly target: Target;
  /** The process whose CPU time counts. */
  readonly pid: number;
}

export interface Rounds {
  readonly connections: number;
  readonly seconds: number;
  readonly pairs: number;
}

interface Measured {
  readonly rates: readonly number[];
  /** Per call. */
  readonly cpuMs: readonly number[];
}

/**
 * The rates of two ways in short rounds that alternate, each pair starting with the other one, so that other work on the machine affects
 * both alike. `ratios` are those of the first way to the second, pair by pair.
 */
export async function compareRates(
  first: Way,
  second: Way,
  { connections, seconds, pairs }: Rounds,
): Promise<{ first: Measured; second: Measured; ratios: readonly number[] }> {
  const start = (way: Way) => ({ ...way, rates: [] as number[], cpuMs: [] as number[] });
  const [one, other] = [start(first), start(second)];
  for (let pair = 0; pair < pairs; pair++)
    for (const way of pair % 2 === 0 ? [one, other] : [other, one]) {
      const before = cpuSeconds(way.pid) ?? 0;
      const { perSecond, latenciesMs } = await flood(way.target, connections, seconds);
      way.rates.push(perSecond);
      way.cpuMs.push((1000 * ((cpuSeconds(way.pid) ?? 0) - before)) / Math.max(1, latenciesMs.length));
    }
  const ratios = one.rates.map((rate, pair) => rate / (other.rates[pair] ?? Number.NaN));
  return { first: one, second: other, ratios };
}

/** A row of the table: the medians. */
export const rateRow = (way: string, { rates, cpuMs }: Measured) => ({
  way,
  'calls/s': Math.round(percentile(rates, 50)),
  'CPU ms': percentile(cpuMs, 50).toFixed(3),
});

/** Empty without a goal. `what` is compared with going without it. */
export const ratioGoals = (what: string, ratio: number, goal: number | undefined): Goal[] =>
  goal === undefined
    ? []
    : [
        {
          text: `${what}, at least ${goal} times the rate without: ${ratio.toFixed(3)}`,
          reached: ratio >= goal,
        },
      ];
