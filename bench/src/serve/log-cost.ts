import { percentile } from '../report.ts';
import type { Service } from '../service.ts';
import { callUntilLoaded } from './call-until-loaded.ts';
import { compareRates, type Rounds, rateRow, ratioGoals } from './compare-rates.ts';
import { flood, type Target } from './load.ts';

interface LogCost extends Rounds {
  readonly goal?: number;
}

/** The rate of a serving process that logs its answers, compared with one that does not. Both run all the time. */
export async function measureLogCost(
  cell: Service,
  name: string,
  request: Target['request'],
  { connections, seconds, pairs, goal }: LogCost,
) {
  await using logging = await cell.startAnother('serving');
  await using silent = await cell.startAnother('serving', { DECISION_LOG_DAYS: '0' });
  const wayOf = ({ pid, port }: Service) => ({ pid, target: { port, request } });
  const ways = [wayOf(logging), wayOf(silent)] as const;
  for (const { target } of ways) {
    await callUntilLoaded(target);
    await flood(target, connections, 3);
  }
  const { first: on, second: off, ratios } = await compareRates(...ways, { connections, seconds, pairs });
  const ratio = percentile(ratios, 50);
  return {
    table: {
      title: `${name}: with and without the decision log, ${pairs} pairs of ${seconds} s (quartiles of the ratio: ${percentile(ratios, 25).toFixed(3)} to ${percentile(ratios, 75).toFixed(3)})`,
      rows: [rateRow('with the log', on), rateRow('without', off)],
    },
    goals: ratioGoals(`${name}: with the decision log`, ratio, goal),
    figures: { ratio, ratios, cpuMs: { on: percentile(on.cpuMs, 50), off: percentile(off.cpuMs, 50) } },
  };
}
