import type { EventRecord, ItemRecord, Response, UserRecord } from '@tastegraph/contract';

export type UpsertName = 'upsertDatasetUsers' | 'upsertDatasetItems' | 'upsertDatasetEvents';
export type UpsertAnswer = Pick<Response<UpsertName>, 'succeed_ids' | 'failures'>;

/** What sets users, items and events apart when they are imported. */
export interface ImportKind<R> {
  readonly operation: UpsertName;
  readonly idField: keyof R & string;
  /** Of the request. */
  readonly datasetField: string;
  readonly recordsField: string;
}

export const userImport: ImportKind<UserRecord> = {
  operation: 'upsertDatasetUsers',
  idField: 'user_id',
  datasetField: 'user_dataset_id',
  recordsField: 'users',
};

export const itemImport: ImportKind<ItemRecord> = {
  operation: 'upsertDatasetItems',
  idField: 'item_id',
  datasetField: 'item_dataset_id',
  recordsField: 'items',
};

export const eventImport: ImportKind<EventRecord> = {
  operation: 'upsertDatasetEvents',
  idField: 'event_id',
  datasetField: 'event_dataset_id',
  recordsField: 'events',
};

/** The body of a call, of records that are JSON already: a batch is written once, when its records are measured. */
export function bodyOf<R>(
  { datasetField, recordsField }: ImportKind<R>,
  datasetId: string,
  records: readonly string[],
): string {
  return `{"${datasetField}":${JSON.stringify(datasetId)},"${recordsField}":[${records.join(',')}]}`;
}
