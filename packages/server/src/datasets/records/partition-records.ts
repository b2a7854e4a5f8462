import { limits } from '@tastegraph/contract';
import { RefusedRecord, UnparsedRecord } from '../../http/body/records.ts';
import type { WrittenEvent } from '../../http/context.ts';
import type { UpsertMode } from '../../http/write-scope.ts';
import type { Slice } from '../../kernel/lib/slices.ts';
import { latestTs } from '../event-times.ts';
import type { RecordRow } from '../rows/write-slices.ts';
import { type AttributeSchema, checkAttributes, withNumbers } from './check-attributes.ts';
import {
  checkRecord,
  nestedTooDeep,
  type RecordFailure,
  type RecordKind,
  recordKinds,
  tooManyNames,
} from './check-record.ts';
import { MergedRecord, missingFields, rowOf } from './record-row.ts';

export interface ValidRecord {
  readonly index: number;
  readonly id: string;
  readonly row: RecordRow;
  /** Fields that a new record requires and this one lacks. */
  readonly missing: readonly string[];
  readonly ts?: number | undefined;
  /** Of an event that has both. */
  readonly event?: WrittenEvent | undefined;
}

export interface FailedRecord extends RecordFailure {
  readonly index: number;
  /** Absent if the record has no ID that is a string or a number. */
  readonly id?: string;
}

type Fields = Record<string, unknown>;

export interface PartitionedRecords {
  readonly valid: ValidRecord[];
  readonly failed: FailedRecord[];
}

export interface UpsertOptions {
  readonly mode?: UpsertMode | undefined;
  /** Whether events whose newest `ts` looks like seconds are written. */
  readonly allowOldTs?: boolean | undefined;
}

export interface Rules extends UpsertOptions {
  readonly kind: RecordKind;
  readonly schema: AttributeSchema;
  readonly mode: UpsertMode;
}

/**
 * Splits a batch into records that can be written and records that cannot, in the order of the request. Of records with the
 * same ID only the last one counts, valid or not; with MERGE they are merged in order and fail together. Works in slices,
 * because checking 32 MiB takes a second.
 */
export async function partitionRecords(
  kind: RecordKind,
  schema: AttributeSchema,
  records: readonly unknown[],
  slice: Slice,
  { mode = 'REPLACE', allowOldTs = false }: UpsertOptions = {},
): Promise<{ valid: readonly ValidRecord[]; failed: readonly FailedRecord[] }> {
  const rules = { kind, schema, mode };
  const { idField } = recordKinds[kind];
  const indexesOf = new Map<string, number[]>();
  const partitioned: PartitionedRecords = { valid: [], failed: [] };
  records.forEach((record, index) => {
    const id = idOf(record, idField);
    const indexes = id === undefined ? undefined : indexesOf.get(id);
    if (indexes) indexes.push(index);
    else if (id !== undefined) indexesOf.set(id, [index]);
    else partitioned.failed.push({ index, code: 'ID_INVALID', message: `the record has no ${idField}` });
  });
  for (const [id, indexes] of indexesOf) {
    const effective = mode === 'MERGE' ? indexes : indexes.slice(-1);
    const [first = 0, second] = effective;
    const isSmall = second === undefined && !(records[first] instanceof UnparsedRecord);
    if (isSmall) partitionSmall(rules, id, first, { records, partitioned });
    else await partitionInSlices(rules, { id, indexes: effective }, { records, partitioned, slice });
    if (slice.isOver()) await slice.next();
  }
  const { valid, failed } = kind === 'event' && !allowOldTs ? refuseSeconds(partitioned) : partitioned;
  return { valid: valid.toSorted(byIndex), failed: failed.toSorted(byIndex) };
}

/** One call, one unit: if its newest event happened in our time once its `ts` is read as seconds, none is written. */
function refuseSeconds({ valid, failed }: PartitionedRecords): PartitionedRecords {
  const newest = valid.reduce((latest, { ts = 0 }) => Math.max(latest, ts), 0);
  if (newest < limits.tsSecondsFrom || newest * 1000 > latestTs()) return { valid, failed };
  const { dated = [], undated = [] } = Object.groupBy(valid, ({ ts }) =>
    ts === undefined ? 'undated' : 'dated',
  );
  return {
    valid: undated,
    failed: [...failed, ...dated.map(({ index, id }) => ({ index, id, ...inSeconds }))],
  };
}

const inSeconds: RecordFailure = {
  code: 'TIME_UNIT',
  message:
    'ts looks like seconds: multiply it by 1000, or set allow_old_ts if these events are truly of January 1970',
};

const byIndex = (one: { index: number }, other: { index: number }) => one.index - other.index;

/** A numeric ID is not accepted, but identifies the record in the failure. */
function idOf(record: unknown, idField: string): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const id: unknown = (record as Fields)[idField];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

interface Batch {
  readonly records: readonly unknown[];
  readonly partitioned: PartitionedRecords;
}

/** Needs no slices: records that were parsed with the whole body are small. */
function partitionSmall(rules: Rules, id: string, index: number, { records, partitioned }: Batch): void {
  const failure = check(rules, records[index]);
  if (failure) partitioned.failed.push({ index, id, ...failure });
  else addRecord(rules, { index, id, record: records[index] as Fields }, partitioned);
}

/** Checks the records with one ID, at these indexes of the request, and merges them in order. */
async function partitionInSlices(
  rules: Rules,
  { id, indexes }: { id: string; indexes: readonly number[] },
  { records, partitioned, slice }: Batch & { slice: Slice },
): Promise<void> {
  const pause = async () => (slice.isOver() ? slice.next() : undefined);
  const merged = new MergedRecord();
  let record: unknown;
  for (const index of indexes) {
    const sent = records[index];
    record = sent instanceof UnparsedRecord ? UnparsedRecord.parse(sent) : sent;
    await pause();
    const failure = check(rules, record);
    if (failure) {
      partitioned.failed.push({ index, id, ...failure });
      return;
    }
    await pause();
    if (indexes.length > 1) merged.add(record as Fields);
  }
  const index = indexes.at(-1) ?? 0;
  if (indexes.length === 1) addRecord(rules, { index, id, record: record as Fields }, partitioned);
  else if (merged.bytes > maxBytes(rules.kind))
    partitioned.failed.push({ index, id, ...tooLarge(rules.kind) });
  else addRecord(rules, { index, id, record: merged.fields }, partitioned);
}

function check({ kind, mode }: Rules, record: unknown): RecordFailure | undefined {
  return record instanceof RefusedRecord ? failureOfRefused(kind, record) : checkRecord(kind, record, mode);
}

/** Adds the record to `valid`, or to `failed` if it is too large or does not match the dataset's schema. */
function addRecord(
  rules: Rules,
  { index, id, record }: { index: number; id: string; record: Fields },
  { valid, failed }: PartitionedRecords,
): void {
  const { kind, mode, schema } = rules;
  const attributes = record['attributes'] as Fields | undefined;
  const missing = missingFields(kind, record);
  const row = rowOf(kind, mode, id, record);
  const event = kind === 'event' ? eventOf(record) : undefined;
  const ts = kind === 'event' ? (record['ts'] as number | undefined) : undefined;
  // Without attributes a record is always far below the size limit.
  if (attributes === undefined) {
    valid.push({ index, id, row, missing, ts, event });
    return;
  }
  const failure = isTooLarge(rules, record, row)
    ? tooLarge(kind)
    : kind === 'event'
      ? undefined
      : checkAttributes(schema, attributes);
  if (failure) {
    failed.push({ index, id, ...failure });
    return;
  }
  const numbers = kind === 'event' ? attributes : withNumbers(schema, attributes);
  valid.push({
    index,
    id,
    row: numbers === attributes ? row : rowOf(kind, mode, id, { ...record, attributes: numbers }),
    missing,
    ts,
    event,
  });
}

function eventOf({ ts, event_type }: Fields): WrittenEvent | undefined {
  return typeof ts === 'number' && typeof event_type === 'string' ? { ts, event_type } : undefined;
}

/** Measures the row where possible, since it is serialized anyway: it has the same values under shorter names. */
function isTooLarge({ kind, mode }: Rules, record: Fields, { json }: RecordRow): boolean {
  // The row of a change lacks the attributes to remove.
  if (mode === 'MERGE') return Buffer.byteLength(JSON.stringify(record)) > maxBytes(kind);
  return Buffer.byteLength(json) + extraNameBytes(kind, record) > maxBytes(kind);
}

/** By how many bytes the names of the record's fields are longer than those of the row. */
function extraNameBytes(kind: RecordKind, record: Fields): number {
  if (kind !== 'event') return 'user_id'.length - 'id'.length;
  return Object.keys(record).reduce((bytes, name) => bytes + name.length - 1, 0);
}

export function maxBytes(kind: RecordKind): number {
  return kind === 'event' ? limits.eventBytes : limits.userOrItemBytes;
}

function failureOfRefused(kind: RecordKind, record: RefusedRecord): RecordFailure {
  switch (RefusedRecord.reasonOf(record)) {
    case 'too large':
      return tooLarge(kind);
    case 'too deep':
      return { code: 'FIELD_INVALID', message: nestedTooDeep };
    case 'too many names':
      return { code: 'FIELD_INVALID', message: tooManyNames };
  }
}

export function tooLarge(kind: RecordKind): RecordFailure {
  return { code: 'RECORD_TOO_LARGE', message: `the record is larger than ${maxBytes(kind)} bytes as JSON` };
}
