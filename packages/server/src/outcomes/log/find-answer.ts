import type { DuckValue } from '../../kernel/files/duckdb.ts';
import { readFiles, withDuck } from '../../kernel/files/duckdb.ts';
import { downloadObjects } from '../../kernel/files/local-files.ts';
import type { ObjectStore, StoredObject } from '../../kernel/objects/store.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { findDecisionFiles } from '../rows/decision-files.ts';
import { type AnswerDetail, fileColumns, type LoggedAnswer } from './columns.ts';
import { batchPrefix, batchTimes, dayOf } from './keys.ts';

/** One or two small files. */
const duckOptions = { memoryMb: 256, threads: 1 };
/** Pages of batches that are not sorted yet: an hour of 13 processes, if no worker runs. */
const maxPages = 10;

type StoredAnswer = Omit<LoggedAnswer, 'account_id' | 'project_id'>;

interface AnswerRef {
  readonly accountId: string;
  readonly projectId: string;
  readonly recommendationId: string;
  /** When it was given, by its ID. */
  readonly ts: number;
}

interface DecisionStores {
  readonly db: Queryable;
  readonly store: Pick<ObjectStore, 'read' | 'list'>;
}

/** Looks into files, into batches that are not sorted yet, and into files again: a worker may sort the batch meanwhile. */
export async function findAnswer(stores: DecisionStores, ref: AnswerRef): Promise<StoredAnswer | undefined> {
  return (
    (await findInFiles(stores, ref)) ?? (await findInBatches(stores, ref)) ?? (await findInFiles(stores, ref))
  );
}

async function findInFiles({ db, store }: DecisionStores, ref: AnswerRef): Promise<StoredAnswer | undefined> {
  const files = await findDecisionFiles(db, ref.accountId, ref.projectId, {
    day: dayOf(ref.ts),
    recommendationId: ref.recommendationId,
  });
  const objects = files.map(({ object_key, size, sha256 }) => ({ object_key, expect: { size, sha256 } }));
  return findIn(store, objects, '*', 'recommendation_id = $id', { id: ref.recommendationId });
}

async function findInBatches({ store }: DecisionStores, ref: AnswerRef): Promise<StoredAnswer | undefined> {
  const objects: { object_key: string }[] = [];
  let after: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const listed = await store.list(batchPrefix, { after });
    for (const { key } of listed.objects) {
      const times = batchTimes(key);
      if (times && times.firstTs <= ref.ts && times.lastTs >= ref.ts) objects.push({ object_key: key });
    }
    after = listed.next;
    if (after === undefined) break;
  }
  const isIt = 'account_id = $account AND project_id = $project AND recommendation_id = $id';
  const values = { account: ref.accountId, project: ref.projectId, id: ref.recommendationId };
  return findIn(store, objects, fileColumns, isIt, values);
}

async function findIn(
  store: DecisionStores['store'],
  objects: readonly { readonly object_key: string; readonly expect?: StoredObject }[],
  columns: string,
  isIt: string,
  values: Record<string, DuckValue>,
): Promise<StoredAnswer | undefined> {
  if (objects.length === 0) return undefined;
  return withDuck(duckOptions, async (duck) => {
    const copies = await downloadObjects(store, duck.folder, objects, { mustExist: false });
    if (copies.length === 0) return undefined;
    const paths = copies.map(({ path }) => path);
    type Row = Omit<StoredAnswer, 'ts' | 'detail'> & { readonly ts: bigint; readonly detail: string };
    const [row] = await duck.rows<Row>(
      `SELECT ${columns} FROM ${readFiles(paths)} WHERE ${isIt} LIMIT 1`,
      values,
    );
    return row && { ...row, ts: Number(row.ts), detail: JSON.parse(row.detail) as AnswerDetail };
  });
}
