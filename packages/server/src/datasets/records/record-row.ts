import type { EventChange, EventRecord } from '@tastegraph/contract';
import type { UpsertMode } from '../../http/write-scope.ts';
import { entityRow } from '../rows/entities.ts';
import { eventRow } from '../rows/events.ts';
import { entityChangeRow } from '../rows/merge-entities.ts';
import { eventChangeRow } from '../rows/merge-events.ts';
import type { RecordRow } from '../rows/record-slices.ts';
import type { RecordKind } from './check-record.ts';

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
