import type { DatasetKind, Request } from '@tastegraph/contract';
import { ApiError } from './api-error.ts';

/** Whether an upsert replaces an existing record or changes only the fields that are sent. */
export type UpsertMode = NonNullable<Request<'upsertDatasetUsers'>['mode']>;

/** The datasets that a write key writes to. */
export interface WriteScope {
  readonly eventDatasetId: string;
  readonly userDatasetId: string | null;
}

/**
 * Refuses what a write key may not write, before anything is read: the response does not depend on what exists. Events are
 * replaced as a whole, so that a key cannot change parts of events that it does not know.
 */
export function requireWritable(
  { eventDatasetId, userDatasetId }: WriteScope,
  kind: DatasetKind,
  datasetId: string,
  mode: UpsertMode,
): void {
  const own = kind === 'event' ? eventDatasetId : kind === 'user' ? userDatasetId : null;
  if (datasetId !== own)
    throw new ApiError(
      'SCOPE_MISSING',
      `The write key writes only to ${own ?? eventDatasetId}. Send that ID, or create a write key for the other dataset with /create-write-key.`,
    );
  if (kind === 'event' && mode !== 'REPLACE')
    throw new ApiError(
      'SCOPE_MISSING',
      'A write key cannot merge events. Leave out mode, or use an API key with a token.',
    );
}
