import { isDeepStrictEqual } from 'node:util';
import { limits } from '@tastegraph/contract';
import type { Context } from '../../http/context.ts';
import { requireWritable, type UpsertMode } from '../../http/write-scope.ts';
import { type Slice, slices } from '../../kernel/lib/slices.ts';
import type { Transaction } from '../../kernel/postgres/pool.ts';
import { getDataset } from '../get-dataset.ts';
import { countLockHolders, type DatasetRow, datasetLockKey, findConnectionLimit } from '../rows/datasets.ts';
import { listEntityIds, upsertEntities } from '../rows/entities.ts';
import { listEventIds, upsertEvents } from '../rows/events.ts';
import { mergeEntities } from '../rows/merge-entities.ts';
import { mergeEvents } from '../rows/merge-events.ts';
import type { RecordFailure, RecordKind } from './check-record.ts';
import { isLargeBatch, partitionInThread } from './partition-in-thread.ts';
import {
  type FailedRecord,
  maxBytes,
  type PartitionedRecords,
  partitionRecords,
  type Rules,
  tooLarge,
  type UpsertOptions,
  type ValidRecord,
} from './partition-records.ts';

/** What writing records needs of a call, or of a job. */
export type WriteContext = Pick<Context, 'accountId' | 'db' | 'usage' | 'writeScope'>;

interface UpsertOutcome {
  readonly succeed_ids: string[];
  readonly failed_ids: string[];
  /** Includes records without an ID. */
  readonly failed_count: number;
  readonly failures: FailedRecord[];
}

/**
 * Writes the valid records of a batch in one transaction and reports why the others failed.
 *
 * The dataset's maximum is exact. Calls write concurrently under a shared lock as long as each sees room for everything
 * that the calls in flight can add. A call that sees less room takes the lock exclusively, so that the count is exact.
 */
export async function upsertRecords(
  ctx: WriteContext,
  kind: RecordKind,
  datasetId: string,
  records: readonly unknown[],
  { mode = 'REPLACE', allowOldTs }: UpsertOptions = {},
): Promise<UpsertOutcome> {
  if (ctx.writeScope) requireWritable(ctx.writeScope, kind, datasetId, mode);
  const options = { mode, allowOldTs };
  const sent = await checkAhead(ctx, kind, datasetId, records, options);
  const batch =
    (await writeBatch(ctx, kind, datasetId, sent, options, 'shared')) ??
    (await writeBatch(ctx, kind, datasetId, sent, options, 'exclusive'));
  if (!batch) throw new Error('a batch under an exclusive lock is always written');
  ctx.usage.eventsWritten(
    batch.datasetKey,
    batch.written.flatMap(({ event }) => event ?? []),
  );
  return outcome(batch.written, batch.failed);
}

type Options = Pick<Rules, 'mode' | 'allowOldTs'>;

interface SentBatch {
  readonly records: readonly unknown[];
  /** If the records were checked: the result, and the schema that it is for. */
  readonly checked?: PartitionedRecords & { readonly schema: DatasetRow['attribute_schema'] };
}

/** Checks a large batch in a thread, before the transaction: meanwhile, the call holds neither a connection nor a lock. */
async function checkAhead(
  ctx: WriteContext,
  kind: RecordKind,
  datasetId: string,
  records: readonly unknown[],
  options: Options,
): Promise<SentBatch> {
  if (!isLargeBatch(records)) return { records };
  const { attribute_schema: schema } = await getDataset(ctx, kind, datasetId);
  const { partitioned, ...sent } = await partitionInThread(
    ctx.accountId,
    { kind, schema, ...options },
    records,
  );
  return { ...sent, checked: { ...partitioned, schema } };
}

interface WrittenBatch {
  readonly datasetKey: number;
  readonly written: readonly ValidRecord[];
  readonly failed: readonly FailedRecord[];
}

/** Returns undefined if the dataset is too close to its maximum to be written under a shared lock. */
async function writeBatch(
  ctx: WriteContext,
  kind: RecordKind,
  datasetId: string,
  { records, checked }: SentBatch,
  options: Options,
  mode: 'shared' | 'exclusive',
): Promise<WrittenBatch | undefined> {
  return ctx.db.transaction(async (tx) => {
    const lockKey = datasetLockKey(ctx.accountId, datasetId);
    await tx.lock(lockKey, mode);
    const find = () => getDataset(ctx, kind, datasetId, tx);
    const dataset = await find();
    const room = roomOf(dataset);
    if (mode === 'shared' && !(await hasRoomForAll(tx, lockKey, room, async () => roomOf(await find()))))
      return undefined;
    const slice = slices.start(ctx.accountId);
    const { attribute_schema: schema } = dataset;
    const { valid, failed } =
      checked && isDeepStrictEqual(checked.schema, schema)
        ? checked
        : await partitionRecords(kind, schema, records, slice, options);
    const { fitting, overflow } =
      mode === 'shared' ? { fitting: valid, overflow: [] } : await splitByRoom(tx, dataset, valid, room);
    const datasetKey = dataset.dataset_key;
    if (fitting.length === 0) return { datasetKey, written: [], failed: [...failed, ...overflow] };
    const refused = await writeRecords(tx, dataset, fitting, options.mode, slice);
    const written = fitting.filter(({ id }) => !refused.has(id));
    const unmerged = fitting.flatMap(({ index, id }) => {
      const failure = refused.get(id);
      return failure ? [{ index, id, ...failure }] : [];
    });
    return { datasetKey, written, failed: [...failed, ...overflow, ...unmerged] };
  });
}

/** Applies to the whole dataset, so that an uneven distribution over shards does not matter. */
const maxRecords = ({ num_shards }: DatasetRow) => num_shards * limits.recordsPerShard;
const roomOf = (dataset: DatasetRow) => maxRecords(dataset) - dataset.record_count;

let connectionLimit: number | undefined;

/**
 * Whether there is room for a full call of each transaction that holds the dataset's lock, including this one. Most datasets
 * have room for a full call per PostgreSQL connection, which needs no query.
 *
 * The lock holders are read before the record count. Of two calls, the one that reads the holders later therefore sees the
 * other either as a holder or in the count. All reads use the transaction's own connection: waiting for a second connection
 * while holding one could deadlock.
 */
async function hasRoomForAll(
  tx: Transaction,
  lockKey: bigint,
  room: number,
  findRoom: () => Promise<number>,
): Promise<boolean> {
  connectionLimit ??= await findConnectionLimit(tx);
  if (room >= connectionLimit * limits.recordsPerCall) return true;
  const holders = await countLockHolders(tx, lockKey);
  return (await findRoom()) >= holders * limits.recordsPerCall;
}

/** Existing records always fit; new records fit, in order, as long as there is room. */
async function splitByRoom(
  tx: Transaction,
  dataset: DatasetRow,
  valid: readonly ValidRecord[],
  room: number,
): Promise<{ fitting: readonly ValidRecord[]; overflow: FailedRecord[] }> {
  if (valid.length <= room) return { fitting: valid, overflow: [] };
  const ids = valid.map(({ id }) => id);
  const listIds = dataset.kind === 'event' ? listEventIds : listEntityIds;
  const known = new Set((await listIds(tx, dataset, ids)).map(({ id }) => id));
  let left = Math.max(0, room);
  const fitting: ValidRecord[] = [];
  const overflow: FailedRecord[] = [];
  for (const entry of valid) {
    // An incomplete record is not inserted and takes no room.
    const isInserted = !known.has(entry.id) && entry.missing.length === 0;
    if (!isInserted || left-- > 0) fitting.push(entry);
    else overflow.push({ index: entry.index, id: entry.id, ...fullFailure(dataset) });
  }
  return { fitting, overflow };
}

const fullFailure = (dataset: DatasetRow): RecordFailure => ({
  code: 'DATASET_FULL',
  message: `the dataset is full at ${maxRecords(dataset)} records (num_shards x ${limits.recordsPerShard}); delete old records or raise num_shards`,
});

function outcome(written: readonly ValidRecord[], failed: readonly FailedRecord[]): UpsertOutcome {
  const failures = failed.toSorted((a, b) => a.index - b.index);
  return {
    succeed_ids: written.map(({ id }) => id),
    failed_ids: failures.flatMap(({ id }) => (id === undefined ? [] : [id])),
    failed_count: failures.length,
    failures,
  };
}

/** Writes the records. Returns by ID why some could not be merged into the existing record. */
async function writeRecords(
  tx: Transaction,
  dataset: DatasetRow,
  valid: readonly ValidRecord[],
  mode: UpsertMode,
  slice: Slice,
): Promise<ReadonlyMap<string, RecordFailure>> {
  const { kind } = dataset;
  const rows = valid.map(({ row }) => row);
  if (mode === 'REPLACE') {
    const upsert = kind === 'event' ? upsertEvents : upsertEntities;
    await upsert(tx, dataset, rows, slice);
    return new Map();
  }
  const merged =
    kind === 'event'
      ? await mergeEvents(tx, dataset, rows, maxBytes(kind), slice)
      : { tooLarge: await mergeEntities(tx, dataset, rows, maxBytes(kind), slice), incomplete: [] };
  const failures = new Map(merged.tooLarge.map((id) => [id, tooLarge(kind)]));
  const incomplete = new Set(merged.incomplete);
  for (const { id, missing } of valid) if (incomplete.has(id)) failures.set(id, incompleteFailure(missing));
  return failures;
}

const incompleteFailure = (missing: readonly string[]): RecordFailure => ({
  code: 'FIELD_MISSING',
  message: `no event with this event_id exists, and a new event requires ${missing.join(', ')}`,
});
