import { readFiles, withDuck } from '../../kernel/files/duckdb.ts';
import { downloadObjects } from '../../kernel/files/local-files.ts';
import type { Log } from '../../kernel/observability/log.ts';
import { claimPeriodicTask, endPeriodicStep, keepClaim } from '../../kernel/postgres/periodic-tasks.ts';
import type { TaskStep } from '../../module.ts';
import type { Services } from '../../services.ts';
import {
  deleteDecisionFiles,
  deleteSortedBatches,
  expireAttributionFiles,
  expireDecisionFiles,
  listCrowdedDays,
  listDecisionFiles,
} from '../rows/decision-files.ts';
import { dayOf } from './keys.ts';
import { duckOptions, sortBatches } from './sort-batches.ts';
import {
  announceSeconds,
  type DecisionsContext,
  type ProjectDay,
  publishDecisionFiles,
  writeDecisionFiles,
} from './write-files.ts';

const task = 'sort_decisions';
/** How long answers stay in batches at most, if workers keep up. */
const roundSeconds = 20;
/** Renewed while a step runs. Otherwise another worker takes over; whichever commits first wins. */
const claimSeconds = 120;
/** Longer than files stay announced: a worker that lost its claim may try to publish them that late, and must find its batches marked. */
const forgetSeconds = 2 * announceSeconds;
const rowsPerStep = 1000;

/** Sorts batches of the decision log into files, merges small files and expires old ones. */
export function keepDecisions({ db, store, stopping, config, log }: Services): TaskStep {
  const context = { db, store, stopping };
  const keptDays = config.jobs.decisionLogDays;
  return async () => {
    if (!(await claimPeriodicTask(db, task, claimSeconds))) return false;
    let hasMore = false;
    try {
      hasMore = await keepClaim(db, task, claimSeconds, () => sortStep(context, keptDays, log));
    } finally {
      await endPeriodicStep(db, task, null, hasMore ? 0 : roundSeconds);
    }
    return hasMore;
  };
}

async function sortStep(context: DecisionsContext, keptDays: number, log: Log): Promise<boolean> {
  const { db } = context;
  const { hasMore, days } = await sortBatches(context, log);
  for (const day of await listCrowdedDays(db, days, maxSmallFiles, smallAnswers))
    await mergeSmallFiles(context, day);
  await deleteSortedBatches(db, forgetSeconds, rowsPerStep);
  const beforeDay = dayOf(Date.now()) - keptDays;
  const expired = await expireDecisionFiles(db, beforeDay, rowsPerStep);
  await expireAttributionFiles(db, beforeDay, rowsPerStep);
  return hasMore || expired === rowsPerStep;
}

/** Smaller files are merged once a day has so many of them. */
const smallAnswers = 25_000;
const maxSmallFiles = 16;

/** Keeps the files of a day few, whatever the traffic. Fails, and changes nothing, if a file is replaced meanwhile. */
export async function mergeSmallFiles(context: DecisionsContext, day: ProjectDay): Promise<void> {
  const { db, store, stopping } = context;
  const files = await listDecisionFiles(db, day.project_key, day.day);
  const small = files.filter(({ answers }) => answers < smallAnswers);
  if (small.length < maxSmallFiles) return;
  await withDuck(duckOptions, async (duck) => {
    const objects = small.map(({ object_key, size, sha256 }) => ({ object_key, expect: { size, sha256 } }));
    const copies = await downloadObjects(store, duck.folder, objects, { mustExist: true, signal: stopping });
    const paths = copies.map(({ path }) => path);
    await duck.run(`CREATE TABLE merged AS SELECT * FROM ${readFiles(paths)} ORDER BY recommendation_id`);
    const answers = small.reduce((sum, { answers }) => sum + answers, 0);
    const days = [{ ...day, first: 0, answers }];
    const merged = await writeDecisionFiles(context, duck, { table: 'merged', columns: '*', days });
    const replaced = small.map(({ file_key }) => file_key);
    await publishDecisionFiles(context, merged, async (tx) => {
      await deleteDecisionFiles(tx, replaced);
    });
  });
}
