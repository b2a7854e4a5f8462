import { limits } from '@tastegraph/contract';
import { deleteEntities } from '../../storage/postgres/entities.ts';
import {
  type DeleteStep,
  deleteEventsBetween,
  deleteUserEvents as deleteUserEventsStep,
} from '../../storage/postgres/events.ts';
import type { Context } from '../context.ts';
import { getDataset } from '../dataset/get-dataset.ts';
import { Fault } from '../fault.ts';

/**
 * Rows a step deletes, and so holds locked, in one short transaction: about 50 ms. Ten times as many are no
 * faster for each row, and make whoever writes one of them wait ten times as long.
 */
const stepRows = 5000;

/** Answers, in the order of the request, those that were there. */
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

/** Answers when none of the events that the user had can be seen any more. */
export async function deleteUserEvents(ctx: Context, datasetId: string, userId: string): Promise<void> {
  const dataset = await getDataset(ctx, 'event', datasetId);
  await inSteps(ctx, limits.tsMax, (fromTs) =>
    ctx.db.transaction((tx) => deleteUserEventsStep(tx, dataset, userId, fromTs, stepRows)),
  );
}

/** Answers when no event from `startTs` up to, not including, `ts` can be seen any more. */
export async function deleteEventsBeforeTs(
  ctx: Context,
  datasetId: string,
  ts: number,
  startTs: number,
): Promise<void> {
  const dataset = await getDataset(ctx, 'event', datasetId);
  await inSteps(ctx, startTs, (fromTs) =>
    ctx.db.transaction((tx) => deleteEventsBetween(tx, dataset, fromTs, ts, stepRows)),
  );
}

/** Each step is durable: a delete that is cut off is finished by asking for it again. */
async function inSteps(
  ctx: Context,
  from: number,
  step: (fromTs: number) => Promise<DeleteStep>,
): Promise<void> {
  for (let fromTs: number | undefined = from; fromTs !== undefined; ) {
    if (ctx.stopping.aborted) {
      throw new Fault('UNAVAILABLE', 'The server is restarting; ask again to delete the rest.', {
        retryAfterSeconds: 1,
      });
    }
    ({ reachedTs: fromTs } = await step(fromTs));
  }
}
