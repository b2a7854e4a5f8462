import { percentile } from '../report.ts';
import type { Service } from '../service.ts';
import { callUntilLoaded } from './call-until-loaded.ts';
import { compareRates, rateRow, ratioGoals, type Way } from './compare-rates.ts';
import { flood } from './load.ts';
import type { Prepared } from './prepare.ts';
import { recommendRequests } from './recommend-requests.ts';
import { type CostRounds, connections, limit } from './sizes.ts';

/** Background loading, caches and compiled code settle in this time. */
const fewestWarmUpSeconds = 5;

/** The rate of calls `on` in which something is done, compared with calls `off` without it. */
export async function measureCost(
  { data, what }: { readonly data: string; readonly what: string },
  { on, off }: { readonly on: Way; readonly off: Way },
  { seconds, pairs, goal }: CostRounds,
) {
  for (const { target } of [on, off]) {
    await callUntilLoaded(target);
    await flood(target, connections, Math.max(fewestWarmUpSeconds, seconds));
  }
  const { first, second, ratios } = await compareRates(on, off, { connections, seconds, pairs });
  const ratio = percentile(ratios, 50);
  const quartiles = `${percentile(ratios, 25).toFixed(3)} to ${percentile(ratios, 75).toFixed(3)}`;
  return {
    table: {
      title: `${data}: with and without ${what}, ${pairs} pairs of ${seconds} s (quartiles of the ratio: ${quartiles})`,
      rows: [rateRow('with', first), rateRow('without', second)],
    },
    goals: ratioGoals(`${data}: with ${what}`, ratio, goal),
    figures: { ratio, ratios, cpuMs: { on: percentile(first.cpuMs, 50), off: percentile(second.cpuMs, 50) } },
  };
}

/** Compares two projects that one serving process answers for. */
export async function measureProjectCost(
  cell: Service,
  what: string,
  { on, off }: { readonly on: Prepared; readonly off: Prepared },
  rounds: CostRounds,
) {
  await using service = await cell.startAnother('serving');
  const requestsOf = await recommendRequests(service, limit);
  const wayOf = (prepared: Prepared): Way => ({
    pid: service.pid,
    target: { port: service.port, request: requestsOf(prepared) },
  });
  return await measureCost({ data: off.name, what }, { on: wayOf(on), off: wayOf(off) }, rounds);
}
