import type { Log } from '../../kernel/observability/log.ts';
import { claimPeriodicTask, endPeriodicStep, keepClaim } from '../../kernel/postgres/periodic-tasks.ts';
import type { TaskStep } from '../../module.ts';
import type { Services } from '../../services.ts';
import {
  deleteSortedBatches,
  expireAttributionFiles,
  expireDecisionFiles,
  listCrowdedDays,
} from '../rows/decision-files.ts';
import { dayOf } from './keys.ts';
import { maxSmallFiles, mergeSmallFiles, smallAnswers } from './merge-files.ts';
import { sortBatches } from './sort-batches.ts';
import { announceSeconds, type DecisionsContext } from './write-files.ts';

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
