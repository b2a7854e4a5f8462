import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../report.ts';
import { startCell, withClient } from './cell.ts';
import { startLoad } from './load.ts';
import type { CallFigures } from './steady-calls.ts';

/** What failover.md promises for writes after a promotion. */
const maxWritesUnavailableSeconds = 10;
/** What failover.md promises for recommendations, which read from the standby meanwhile. */
const maxRecommendationsUnavailableSeconds = 1;
const quietMs = 3000;
const settleMs = 120_000;

/**
 * Kills the primary under load and promotes its synchronous standby: what was answered, what was lost, and how long it took. How
 * soon the loss is noticed depends on what promotes the standby, so it is not measured: it happens at once.
 */
export async function benchLoss(): Promise<Report> {
  await using cell = await startCell();
  const { primary, standby, address } = cell;
  const load = await startLoad(cell);
  await sleep(quietMs);
  const lostAt = performance.now();
  await primary.kill();
  await standby.promote();
  address.move(standby.url);
  const promotedSeconds = (performance.now() - lostAt) / 1000;
  await sleep(quietMs);
  await Promise.all(Object.values(load.calls).map((calls) => calls.settle(quietMs, settleMs)));
  await load.stop();
  const { acknowledged, datasetId } = load;
  const stored = await withClient(standby.url, async (client) => {
    const { rows } = await client.query<{ found: number }>(
      `SELECT count(*)::int AS found FROM events JOIN datasets USING (dataset_key)
        WHERE dataset_id = $1 AND event_id = ANY ($2::text[])`,
      [datasetId, [...acknowledged]],
    );
    return rows[0]?.found ?? 0;
  });
  const missing = acknowledged.length - stored;
  const kinds = Object.entries(load.calls).map(([kind, calls]) => ({ kind, ...calls.figures(lostAt) }));
  const { writes, recommendations } = load.calls;
  return {
    bench: 'loss',
    tables: [
      {
        title: 'Calls after the primary was killed, seconds until the last one failed, and the slowest call',
        rows: kinds.map(({ kind, answered, failed, degraded, unavailableSeconds, slowestSeconds }) => ({
          calls: kind,
          answered,
          failed,
          degraded,
          'unavailable s': unavailableSeconds,
          'slowest s': slowestSeconds,
        })),
      },
      {
        title: 'Acknowledged events, and how many of them were missing afterwards',
        rows: [{ acknowledged: acknowledged.length, missing, 'promoted after s': promotedSeconds }],
      },
    ],
    goals: [
      { text: `no acknowledged event is missing: ${missing}`, reached: missing === 0 },
      goal('recommendations', recommendations.figures(lostAt), maxRecommendationsUnavailableSeconds),
      goal('writes', writes.figures(lostAt), promotedSeconds + maxWritesUnavailableSeconds),
    ],
    figures: { kinds, acknowledged: acknowledged.length, missing, promotedSeconds },
  };
}

const goal = (what: string, { unavailableSeconds }: CallFigures, most: number) => ({
  text: `${what} unavailable for at most ${most.toFixed(1)} s: ${unavailableSeconds.toFixed(1)}`,
  reached: unavailableSeconds <= most,
});
