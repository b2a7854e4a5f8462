import { type EventRecord, type ItemRecord, limits, type UserRecord } from '@tastegraph/contract';
import { type DatasetRow, datasetLockKey, findConnectionLimit } from '../../storage/postgres/datasets.ts';
import { listEntityIds, upsertEntities } from '../../storage/postgres/entities.ts';
import { listEventIds, upsertEvents } from '../../storage/postgres/events.ts';
import type { Transaction } from '../../storage/postgres/pool.ts';
import type { Context } from '../context.ts';
import { getDataset } from '../dataset/get-dataset.ts';
import { recordCeiling } from '../dataset/rules.ts';
import type { RecordKind } from './check-record.ts';
import { type FailedRecord, type SoundRecord, sortOut } from './sort-out.ts';

type AnyRecord = EventRecord | UserRecord | ItemRecord;

export interface UpsertOutcome {
  readonly succeed_ids: string[];
  readonly failed_ids: string[];
  readonly failures: FailedRecord[];
}

/**
 * Writes what is sound of a batch, in one transaction, and says of the rest why not.
 *
 * The ceiling of the dataset is exact. Far from it, calls write side by side under a shared lock: each saw room
 * for more than all transactions PostgreSQL can have under way could add. Close to it, a call takes the lock
 * alone, and so knows the count.
 */
export async function upsertRecords(
  ctx: Context,
  kind: RecordKind,
  datasetId: string,
  records: readonly unknown[],
): Promise<UpsertOutcome> {
  return (
    (await writeBatch(ctx, kind, datasetId, records, 'shared')) ??
    (await writeBatch(ctx, kind, datasetId, records, 'exclusive')) ??
    unreachable()
  );
}

/** Undefined when the dataset is too close to its ceiling to be written under a shared lock. */
async function writeBatch(
  ctx: Context,
  kind: RecordKind,
  datasetId: string,
  records: readonly unknown[],
  mode: 'shared' | 'exclusive',
): Promise<UpsertOutcome | undefined> {
  return ctx.db.transaction(async (tx) => {
    await tx.lock(datasetLockKey(ctx.accountId, datasetId), mode);
    const dataset = await getDataset(ctx, kind, datasetId, tx);
    const room = recordCeiling(dataset.num_shards) - dataset.record_count;
    if (mode === 'shared' && room < (await mostUnderWay(tx))) return undefined;
    const { sound, failed } = sortOut<AnyRecord>(kind, dataset.attribute_schema, records);
    const { fitting, over } =
      mode === 'shared' ? { fitting: sound, over: [] } : await fitInto(tx, kind, dataset, sound, room);
    if (fitting.length > 0) await write(tx, kind, dataset, fitting);
    return outcome(fitting, [...failed, ...over]);
  });
}

let connectionLimit: number | undefined;

/**
 * The records that all transactions of this PostgreSQL together can be adding right now, at the most. Read by the
 * caller's own connection: holding one while waiting for another, all of them could wait for each other.
 */
async function mostUnderWay(tx: Transaction): Promise<number> {
  connectionLimit ??= await findConnectionLimit(tx);
  return connectionLimit * limits.recordsPerCall;
}

/** Records that are there already always fit; new ones, in their order, as long as there is room. */
async function fitInto(
  tx: Transaction,
  kind: RecordKind,
  dataset: DatasetRow,
  sound: readonly SoundRecord<AnyRecord>[],
  room: number,
): Promise<{ fitting: readonly SoundRecord<AnyRecord>[]; over: FailedRecord[] }> {
  if (sound.length <= room) return { fitting: sound, over: [] };
  const ids = sound.map(({ id }) => id);
  const listIds = kind === 'event' ? listEventIds : listEntityIds;
  const known = new Set(await listIds(tx, dataset, ids));
  let left = Math.max(0, room);
  const fitting: SoundRecord<AnyRecord>[] = [];
  const over: FailedRecord[] = [];
  for (const entry of sound) {
    if (known.has(entry.id) || left-- > 0) fitting.push(entry);
    else over.push(fullFailure(entry, dataset));
  }
  return { fitting, over };
}

function fullFailure({ index, id }: SoundRecord<unknown>, dataset: DatasetRow): FailedRecord {
  const ceiling = recordCeiling(dataset.num_shards);
  return {
    index,
    id,
    code: 'DATASET_FULL',
    message: `the dataset holds its ${ceiling} records (num_shards x ${limits.recordsPerShard}): delete old ones, or create a larger dataset`,
  };
}

async function write(
  tx: Transaction,
  kind: RecordKind,
  dataset: DatasetRow,
  fitting: readonly SoundRecord<AnyRecord>[],
): Promise<void> {
  if (kind === 'event') {
    await upsertEvents(
      tx,
      dataset,
      fitting.map(({ record }) => record as EventRecord),
    );
    return;
  }
  const entities = fitting.map(({ id, record }) => ({ id, attributes: record.attributes ?? {} }));
  await upsertEntities(tx, dataset, entities);
}

function outcome(written: readonly SoundRecord<unknown>[], failed: readonly FailedRecord[]): UpsertOutcome {
  const failures = failed.toSorted((a, b) => a.index - b.index);
  return {
    succeed_ids: written.map(({ id }) => id),
    failed_ids: failures.flatMap(({ id }) => (id === undefined ? [] : [id])),
    failures,
  };
}

function unreachable(): never {
  throw new Error('a batch under an exclusive lock is always written');
}
