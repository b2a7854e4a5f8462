import type {
  EventRecord,
  ImportOptions,
  ImportReport,
  ItemRecord,
  Tastegraph,
  UserRecord,
} from '@tastegraph/sdk';
import type { Kind } from './fields.ts';
import type { AnyRecord } from './record-mapper.ts';

/** Imports records that a mapping of this kind made. */
export function sendRecords(
  client: Tastegraph,
  { kind, datasetId }: { readonly kind: Kind; readonly datasetId: string },
  records: AsyncIterable<AnyRecord[]>,
  options: ImportOptions<AnyRecord>,
): Promise<ImportReport> {
  switch (kind) {
    case 'users':
      return client.importUsers(datasetId, records as AsyncIterable<UserRecord[]>, options);
    case 'items':
      return client.importItems(datasetId, records as AsyncIterable<ItemRecord[]>, options);
    case 'events':
      return client.importEvents(datasetId, records as AsyncIterable<EventRecord[]>, options);
  }
}
