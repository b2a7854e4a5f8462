import { cpuSeconds } from '../cpu.ts';
import { type Goal, percentile } from '../report.ts';
import type { Service } from '../service.ts';
import { callUntilLoaded } from './call-until-loaded.ts';
import { flood, type Target } from './load.ts';

interface LogCost {
  readonly connections: number;
  readonly seconds: number;
  readonly pairs: number;
  readonly goal?: number;
}

/**
 * The rate of a serving process that logs its answers, compared with one that does not. Both run all the time; short rounds alternate,
 * and each pair starts with the other one, so that other work on the machine affects both alike.
 */
export async function measureLogCost(
  cell: Service,
  name: string,
  request: Target['request'],
  { connections, seconds, pairs, goal }: LogCost,
) {
  await using logging = await cell.startAnother('serving');
  await using silent = await cell.startAnother('serving', { DECISION_LOG_DAYS: '0' });
  const ways = [logging, silent].map((service) => ({
    pid: service.pid,
    target: { port: service.port, request },
    rates: [] as number[],
    cpuMs: [] as number[],
  }));
  for (const { target } of ways) {
    await callUntilLoaded(target);
    await flood(target, connections, 3);
  }
  for (let pair = 0; pair < pairs; pair++)
    for (const way of pair % 2 === 0 ? ways : ways.toReversed()) {
      const before = cpuSeconds(way.pid) ?? 0;
      const { perSecond, latenciesMs } = await flood(way.target, connections, seconds);
      way.rates.push(perSecond);
      way.cpuMs.push((1000 * ((cpuSeconds(way.pid) ?? 0) - before)) / Math.max(1, latenciesMs.length));
    }
  const [on, off] = ways;
  if (!on || !off) throw new Error('both are measured');
  const ratios = on.rates.map((rate, pair) => rate / (off.rates[pair] ?? Number.NaN));
  const ratio = percentile(ratios, 50);
  const rowOf = (way: string, { rates, cpuMs }: typeof on) => ({
    way,
    'calls/s': Math.round(percentile(rates, 50)),
    'CPU ms': percentile(cpuMs, 50).toFixed(3),
  });
  return {
    table: {
      title: `${name}: with and without the decision log, ${pairs} pairs of ${seconds} s (quartiles of the ratio: ${percentile(ratios, 25).toFixed(3)} to ${percentile(ratios, 75).toFixed(3)})`,
      rows: [rowOf('with the log', on), rowOf('without', off)],
    },
    goals: goal === undefined ? [] : [goalOf(name, ratio, goal)],
    figures: { ratio, ratios, cpuMs: { on: percentile(on.cpuMs, 50), off: percentile(off.cpuMs, 50) } },
  };
}

const goalOf = (name: string, ratio: number, goal: number): Goal => ({
  text: `${name}: with the decision log, at least ${goal} times the rate without: ${ratio.toFixed(3)}`,
  reached: ratio >= goal,
});
