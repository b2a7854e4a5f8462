import { limits } from '@tastegraph/contract';
import { ApiError } from '../../http/api-error.ts';
import type { Context } from '../../http/context.ts';
import { getDataset } from '../get-dataset.ts';
import { deleteEntities } from '../rows/entities.ts';
import {
  type DeleteStep,
  deleteEventsBetween,
  deleteUserEvents as deleteUserEventsStep,
} from '../rows/events.ts';

/** Rows per transaction, about 50 ms. Ten times as many are not faster per row, and block their writers ten times as long. */
export const stepRows = 5000;

/** Returns the IDs that existed, in the order of the request. */
export async function deleteUsersOrItems(
  ctx: Context,
  kind: 'user' | 'item',
  datasetId: string,
  ids: readonly string[],
): Promise<string[]> {
  const dataset = await getDataset(ctx, kind, datasetId);
  const deleted = new Set(await ctx.db.transaction((tx) => deleteEntities(tx, dataset, ids)));
  return [...new Set(ids)].filter((id) => deleted.has(id));
}

export async function deleteUserEvents(ctx: Context, datasetId: string, userId: string): Promise<void> {
  const dataset = await getDataset(ctx, 'event', datasetId);
  await runSteps(ctx, limits.tsMax, (fromTs) =>
    ctx.db.transaction((tx) => deleteUserEventsStep(tx, dataset, userId, fromTs, stepRows)),
  );
}

/** Deletes events from `startTs` (inclusive) to `ts` (exclusive). */
export async function deleteEventsBeforeTs(
  ctx: Context,
  datasetId: string,
  ts: number,
  startTs: number,
): Promise<void> {
  const dataset = await getDataset(ctx, 'event', datasetId);
  await runSteps(ctx, startTs, (fromTs) =>
    ctx.db.transaction((tx) => deleteEventsBetween(tx, dataset, fromTs, ts, stepRows)),
  );
}

/** Each step commits, so a repeated call continues an interrupted delete. */
async function runSteps(
  ctx: Context,
  from: number,
  step: (fromTs: number) => Promise<DeleteStep>,
): Promise<void> {
  for (let fromTs: number | undefined = from; fromTs !== undefined; ) {
    if (ctx.stopping.aborted) {
      throw new ApiError(
        'UNAVAILABLE',
        'The server is restarting. Send the request again to delete the rest.',
        {
          retryAfterSeconds: 1,
        },
      );
    }
    ({ reachedTs: fromTs } = await step(fromTs));
  }
}
