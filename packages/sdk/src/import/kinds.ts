import type { EventRecord, ItemRecord, Request, Response, UserRecord } from '@tastegraph/contract';

export type UpsertName = 'upsertDatasetUsers' | 'upsertDatasetItems' | 'upsertDatasetEvents';
export type UpsertAnswer = Pick<Response<UpsertName>, 'succeed_ids' | 'failures'>;

/** What sets users, items and events apart when they are imported. */
export interface ImportKind<R> {
  readonly operation: UpsertName;
  readonly idField: keyof R & string;
  request(datasetId: string, records: R[]): Request<UpsertName>;
}

export const userImport: ImportKind<UserRecord> = {
  operation: 'upsertDatasetUsers',
  idField: 'user_id',
  request: (user_dataset_id, users) => ({ user_dataset_id, users }),
};

export const itemImport: ImportKind<ItemRecord> = {
  operation: 'upsertDatasetItems',
  idField: 'item_id',
  request: (item_dataset_id, items) => ({ item_dataset_id, items }),
};

export const eventImport: ImportKind<EventRecord> = {
  operation: 'upsertDatasetEvents',
  idField: 'event_id',
  request: (event_dataset_id, events) => ({ event_dataset_id, events }),
};
