import type {
  EventChange,
  EventRecord,
  ItemRecord,
  Request,
  Response,
  UserRecord,
} from '@tastegraph/contract';

export type UpsertName = 'upsertDatasetUsers' | 'upsertDatasetItems' | 'upsertDatasetEvents';
export type UpsertResponse = Pick<Response<UpsertName>, 'succeed_ids' | 'failed_count' | 'failures'>;
export type UpsertMode = NonNullable<Request<UpsertName>['mode']>;

/** How imports of users, items and events differ. */
export interface ImportKind<R> {
  readonly operation: UpsertName;
  readonly idField: keyof R & string;
  /** The fields of the request. */
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

export const eventImport: ImportKind<EventRecord | EventChange> = {
  operation: 'upsertDatasetEvents',
  idField: 'event_id',
  datasetField: 'event_dataset_id',
  recordsField: 'events',
};

/** The body of a call. The records are already JSON, because their size was measured. */
export function bodyOf<R>(
  { datasetField, recordsField }: ImportKind<R>,
  datasetId: string,
  records: readonly string[],
  mode: UpsertMode | undefined,
): string {
  const how = mode === undefined ? '' : `"mode":${JSON.stringify(mode)},`;
  return `{"${datasetField}":${JSON.stringify(datasetId)},${how}"${recordsField}":[${records.join(',')}]}`;
}
