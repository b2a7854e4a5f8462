import type { EventChange, EventRecord } from '@tastegraph/contract';
import { entityRow } from '../../storage/postgres/entities.ts';
import { eventRow } from '../../storage/postgres/events.ts';
import { entityChangeRow } from '../../storage/postgres/merge-entities.ts';
import { eventChangeRow } from '../../storage/postgres/merge-events.ts';
import type { RecordRow } from '../../storage/postgres/record-slices.ts';
import type { RecordKind, UpsertMode } from './check-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The row as text, so that the parsed record need not stay in memory. */
export function rowOf(kind: RecordKind, mode: UpsertMode, id: string, record: Fields): RecordRow {
  if (kind === 'event')
    return mode === 'MERGE'
      ? eventChangeRow(record as unknown as EventChange)
      : eventRow(record as unknown as EventRecord);
  const entity = { id, attributes: (record['attributes'] ?? {}) as Fields };
  return mode === 'MERGE' ? entityChangeRow(entity) : entityRow(entity);
}

const neededFields = ['user_id', 'item_id', 'ts', 'event_type'] as const;

/** Fields that a new event requires and this one lacks. */
export function missingFields(kind: RecordKind, record: Fields): readonly string[] {
  if (kind !== 'event') return [];
  return neededFields.filter((field) => record[field] === undefined);
}
