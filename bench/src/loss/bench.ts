import { setTimeout as sleep } from 'node:timers/promises';
import type { Goal, Report } from '../report.ts';
import { clientOf } from '../sdk-client.ts';
import { type LossCell, startCell } from './cell.ts';
import { type CallKind, type Load, startLoad } from './load.ts';
import type { CallFigures } from './steady-calls.ts';

/** Patroni's lock of a dead primary expires after 20 s; then come the promotion and HAProxy's next check. */
const maxWritesUnavailableSeconds = 35;
/** What failover.md promises for recommendations, whatever is lost. */
const maxRecommendationsUnavailableSeconds = 1;
const storeAwayMs = 20_000;
const redisAwayMs = 5000;
const quietMs = 3000;
const settleMs = 120_000;
/** Answers of the time without an object store that are looked up in the decision log. */
const sampledAnswers = 20;

interface LossFigures extends Record<CallKind, CallFigures> {
  readonly acknowledged: number;
  readonly lost: number;
  /** Until everything that was lost was fully restored. */
  readonly restoredSeconds: number;
  readonly notes: string;
}

type Loss = (cell: LossCell, load: Load) => Promise<string>;

/** Loses a part, and returns when it is back. */
const losses: Record<string, Loss> = {
  primary: async ({ database }, { calls }) => {
    const node = await database.findPrimary();
    await database.kill(node);
    await sleep(quietMs);
    await calls.writes.settle(quietMs, settleMs);
    await database.restart(node);
    await database.waitUntilSynchronous();
    return 'another node is the primary; the killed one is its standby';
  },
  replica: async ({ database }, { calls }) => {
    const node = 1 - (await database.findPrimary());
    await database.kill(node);
    await sleep(quietMs);
    await calls.writes.settle(quietMs, settleMs);
    await database.restart(node);
    await database.waitUntilSynchronous();
    return '';
  },
  redis: async ({ redis }) => {
    await redis.kill();
    await sleep(redisAwayMs);
    await redis.restart();
    return 'limits per process meanwhile';
  },
  'object store': loseStore,
};

/** A training is submitted meanwhile. It must succeed, and no sampled answer may be missing from the decision log. */
async function loseStore({ api, store, prepared }: LossCell, load: Load): Promise<string> {
  const client = clientOf(api);
  const { project_id } = prepared;
  const { algorithms } = await client.listAlgorithms({ project_id });
  const algorithm_id = algorithms[0]?.algorithm_id ?? '';
  await store.kill();
  const lostAt = performance.now();
  const [first, { job_id }] = [
    load.answers.length,
    await client.submitTrainingJob({ project_id, algorithm_id, name: 'without a store' }),
  ];
  await sleep(storeAwayMs);
  const meanwhile = load.answers.slice(first);
  await store.restart();
  await client.waitForJob({ project_id, job_id, job_type: 'TRAINING' });
  const trainedSeconds = (performance.now() - lostAt) / 1000;
  const step = Math.max(1, Math.floor(meanwhile.length / sampledAnswers));
  const sampled = meanwhile.filter((_, n) => n % step === 0);
  if (sampled.length === 0)
    throw new Error('no recommendation was answered without the store, so none can be sampled');
  for (const recommendation_id of sampled) {
    const isLogged = () =>
      client.getRecommendation({ project_id, recommendation_id }).then(
        () => true,
        () => false,
      );
    for (const end = performance.now() + settleMs; !(await isLogged()); ) {
      if (performance.now() > end) throw new Error(`${recommendation_id} is not in the decision log`);
      await sleep(500);
    }
  }
  return `a training submitted meanwhile succeeded after ${trainedSeconds.toFixed(0)} s; ${sampled.length} answers of that time were sampled, and none is missing from the log`;
}

/**
 * Loses one part of a cell after the other, under load: what was answered, what was lost, and how long it took. `parts` selects
 * some of them.
 */
export async function benchLoss(_isQuick: boolean, parts: readonly string[]): Promise<Report> {
  await using cell = await startCell();
  const figures: Record<string, LossFigures> = {};
  for (const [name, lose] of Object.entries(losses))
    if (parts.length === 0 || parts.includes(name)) figures[name] = await measure(cell, name, lose);
  const rows = Object.entries(figures);
  const cells = ({ answered, failed }: CallFigures) => `${answered} / ${failed}`;
  return {
    bench: 'loss',
    tables: [
      {
        title:
          'Calls answered / failed after the loss, seconds until the last one failed, and the slowest call',
        rows: rows.map(([lost, { writes, reads, recommendations, restoredSeconds }]) => ({
          lost,
          writes: cells(writes),
          'unavailable s': writes.unavailableSeconds,
          'slowest s': writes.slowestSeconds,
          reads: cells(reads),
          'unavailable s ': reads.unavailableSeconds,
          'slowest s ': reads.slowestSeconds,
          recommendations: cells(recommendations),
          degraded: recommendations.degraded,
          'unavailable s  ': recommendations.unavailableSeconds,
          'slowest s  ': recommendations.slowestSeconds,
          'fully restored s': restoredSeconds,
        })),
      },
      {
        title: 'Acknowledged events, and how many of them were missing afterwards',
        rows: rows.map(([lost, { acknowledged, lost: missing, notes }]) => ({
          lost,
          acknowledged,
          missing,
          notes,
        })),
      },
    ],
    goals: rows.flatMap(([name, loss]) => goalsOf(name, loss)),
    figures: { losses: figures },
  };
}

function goalsOf(name: string, { lost, writes, recommendations }: LossFigures): Goal[] {
  return [
    { text: `${name} lost: no acknowledged event is missing: ${lost}`, reached: lost === 0 },
    {
      text: `${name} lost: recommendations unavailable for at most ${maxRecommendationsUnavailableSeconds} s: ${recommendations.unavailableSeconds.toFixed(1)}`,
      reached: recommendations.unavailableSeconds <= maxRecommendationsUnavailableSeconds,
    },
    {
      text: `${name} lost: writes unavailable for at most ${maxWritesUnavailableSeconds} s: ${writes.unavailableSeconds.toFixed(1)}`,
      reached: writes.unavailableSeconds <= maxWritesUnavailableSeconds,
    },
  ];
}

async function measure(cell: LossCell, name: string, lose: Loss): Promise<LossFigures> {
  const load = await startLoad(cell, name.replaceAll(' ', '-'));
  await sleep(quietMs);
  const lostAt = performance.now();
  const notes = await lose(cell, load);
  const restoredSeconds = (performance.now() - lostAt) / 1000;
  await sleep(quietMs);
  await Promise.all(Object.values(load.calls).map((calls) => calls.settle(quietMs, settleMs)));
  await load.stop();
  const { writes, reads, recommendations } = load.calls;
  const [stored] = await cell.query<{ found: number }>(
    `SELECT count(*)::int AS found FROM events JOIN datasets USING (dataset_key)
      WHERE dataset_id = $1 AND event_id = ANY ($2::text[])`,
    [load.datasetId, [...load.acknowledged]],
  );
  return {
    writes: writes.figures(lostAt),
    reads: reads.figures(lostAt),
    recommendations: recommendations.figures(lostAt),
    acknowledged: load.acknowledged.length,
    lost: load.acknowledged.length - (stored?.found ?? 0),
    restoredSeconds,
    notes,
  };
}
