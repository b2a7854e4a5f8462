import { ApiError } from '../../http/api-error.ts';
import type { Context } from '../../http/context.ts';
import { getDataset } from '../get-dataset.ts';
import { findEntity, findEvent, type StoredEntity, type StoredEvent } from '../rows/record-reads.ts';

export async function getUserOrItem(
  ctx: Context,
  kind: 'user' | 'item',
  datasetId: string,
  id: string,
): Promise<StoredEntity> {
  const dataset = await getDataset(ctx, kind, datasetId);
  const record = await findEntity(ctx.db, dataset, id);
  if (!record) throw recordNotFound(kind === 'user' ? 'User' : 'Item', id, datasetId);
  return record;
}

export async function getEvent(ctx: Context, datasetId: string, eventId: string): Promise<StoredEvent> {
  const dataset = await getDataset(ctx, 'event', datasetId);
  const record = await findEvent(ctx.db, dataset, eventId);
  if (!record) throw recordNotFound('Event', eventId, datasetId);
  return record;
}

function recordNotFound(kind: string, id: string, datasetId: string): ApiError {
  return new ApiError('NOT_FOUND', `${kind} \`${id}\` was not found in dataset \`${datasetId}\`.`);
}
