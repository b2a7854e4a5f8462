import type { UpsertMode } from '../../http/write-scope.ts';
import type { Slice } from '../../kernel/lib/slices.ts';
import type { Transaction } from '../../kernel/postgres/pool.ts';
import type { DatasetRow } from '../rows/datasets.ts';
import { upsertEntities } from '../rows/entities.ts';
import { upsertEvents } from '../rows/events.ts';
import { mergeEntities } from '../rows/merge-entities.ts';
import { mergeEvents } from '../rows/merge-events.ts';
import type { RecordFailure, RecordKind } from './check-record.ts';
import { maxBytes, tooLarge, type ValidRecord } from './partition-records.ts';

interface WriteOptions {
  readonly mode: UpsertMode;
  readonly slice: Slice;
}

/** Writes the records. Returns by ID why some could not be merged into the existing record. */
export async function writeRecords(
  tx: Transaction,
  kind: RecordKind,
  dataset: DatasetRow,
  valid: readonly ValidRecord[],
  { mode, slice }: WriteOptions,
): Promise<ReadonlyMap<string, RecordFailure>> {
  if (kind === 'event') return writeEvents(tx, dataset, valid, { mode, slice });
  const rows = valid.map(({ row }) => row);
  if (mode === 'MERGE') {
    const ids = await mergeEntities(tx, dataset, rows, maxBytes(kind), slice);
    return new Map(ids.map((id) => [id, tooLarge(kind)]));
  }
  await upsertEntities(tx, dataset, rows, slice);
  return new Map();
}

async function writeEvents(
  tx: Transaction,
  dataset: DatasetRow,
  valid: readonly ValidRecord[],
  { mode, slice }: WriteOptions,
): Promise<ReadonlyMap<string, RecordFailure>> {
  const rows = valid.map(({ row }) => row);
  if (mode === 'REPLACE') {
    await upsertEvents(tx, dataset, rows, slice);
    return new Map();
  }
  const merged = await mergeEvents(tx, dataset, rows, maxBytes('event'), slice);
  const incomplete = new Set(merged.incomplete);
  return new Map([
    ...merged.tooLarge.map((id) => [id, tooLarge('event')] as const),
    ...valid
      .filter(({ id }) => incomplete.has(id))
      .map(({ id, missing }) => [id, incompleteFailure(missing)] as const),
  ]);
}

function incompleteFailure(missing: readonly string[]): RecordFailure {
  return {
    code: 'FIELD_MISSING',
    message: `no event with this event_id exists, and a new event requires ${missing.join(', ')}`,
  };
}
