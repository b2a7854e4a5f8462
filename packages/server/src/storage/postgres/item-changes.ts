import type { Queryable, Statement } from './pool.ts';
import type { ServedProject } from './serving-reads.ts';

/** How far somebody who keeps a copy of a dataset's items has read: they hold all that `snapshot` sees. */
export interface ItemsPosition {
  /** PostgreSQL's own words: which transactions it sees. */
  readonly snapshot: string;
  /** When this PostgreSQL was started. After a restore or a failover, transactions may be counted anew. */
  readonly server: number;
  /** By PostgreSQL's clock. */
  readonly readAt: number;
}

export interface ItemChanges {
  /** What is seen now; the reader is there once `more` is false. */
  readonly position: ItemsPosition;
  /** False: some changes since may not be in the list any more, or never were. Everything is to be read again. */
  readonly isContinuous: boolean;
  /** Written or deleted since. */
  readonly ids: readonly string[];
  /** The last transaction in this page, to go on from. */
  readonly last: string | null;
  readonly more: boolean;
}

/** How long a change is kept. */
const keptMinutes = 60;
/**
 * Who has not read for so long reads everything again. The difference is for a change whose transaction was long in
 * committing: one that writes items is a few statements, of at most 30 s each.
 */
const continuousMinutes = 30;
/** Rows a page, of up to 1000 ids each: half a megabyte, parsed in a few milliseconds. */
const pageRows = 20;

const seconds = (time: string) => `extract(epoch FROM ${time})::float8`;

const positionColumns = `json_build_object('snapshot', pg_current_snapshot()::text,
  'server', ${seconds('pg_postmaster_start_time()')}, 'readAt', ${seconds('now()')}) AS position`;

/**
 * A part of the statement that writes items, which adds the `id`s of `written` to the list of changes in the same
 * transaction: one row, and none when nothing was written. $1 is the dataset's key.
 */
export const addToItemChanges = (written: string) => `noted AS (
    INSERT INTO item_changes (dataset_key, item_ids) SELECT $1, array_agg(id) FROM ${written} HAVING count(*) > 0
  )`;

const positionStatement: Statement = { name: 'read_items_position', text: `SELECT ${positionColumns}` };

/** Where to go on from for somebody who reads all items after this. */
export async function readItemsPosition(db: Queryable): Promise<ItemsPosition> {
  const [row] = await db.rows<{ position: ItemsPosition }>(positionStatement, []);
  if (!row) throw new Error('the position is not readable');
  return row.position;
}

const pageEnd = `ORDER BY changed_by FETCH FIRST ${pageRows} ROWS WITH TIES`;

/** Of the dataset's changes those that are, after `last`, seen by the snapshot to be read up to. */
const changesWhere = (changedBy: string) => `SELECT changed_by, item_ids FROM item_changes
  WHERE dataset_key = $1 AND changed_by ${changedBy} AND changed_by > $5::xid8
    AND ($6::pg_snapshot IS NULL OR pg_visible_in_snapshot(changed_by, $6::pg_snapshot))`;

const changesStatement: Statement = {
  name: 'read_item_changes',
  text: `WITH unseen AS (
      (${changesWhere('= ANY (ARRAY(SELECT pg_snapshot_xip($2::pg_snapshot)))')})
      UNION ALL
      (${changesWhere('>= pg_snapshot_xmax($2::pg_snapshot)')} ${pageEnd})
    ), page AS MATERIALIZED (
      SELECT * FROM unseen ${pageEnd}
    )
    SELECT ${positionColumns},
      $3 = ${seconds('pg_postmaster_start_time()')}
        AND $4 BETWEEN ${seconds(`now() - interval '${continuousMinutes} minutes'`)} AND ${seconds('now()')}
        AS "isContinuous",
      to_json(ARRAY(SELECT DISTINCT unnest(item_ids) FROM page)) AS ids,
      (SELECT changed_by::text FROM page ORDER BY changed_by DESC LIMIT 1) AS last,
      (SELECT count(*) FROM page) >= ${pageRows} AS more`,
};

/**
 * The items that were written or deleted by transactions that `since` did not see and that are seen now, a page at a
 * time, the first with `after` undefined. Exactly those, in whatever order transactions began and committed, and nothing
 * twice: a snapshot does not see those that were under way, which it names, and all that began after. Both are looked up
 * in item_changes_by_dataset, so that a transaction that stays open for hours costs nothing. Takes no lock.
 */
export async function readItemChanges(
  db: Queryable,
  items: ServedProject['items'],
  since: ItemsPosition,
  after?: { readonly last: string | null; readonly upTo: ItemsPosition },
): Promise<ItemChanges> {
  const [row] = await db.rows<ItemChanges>(changesStatement, [
    ...[items.key, since.snapshot, since.server, since.readAt],
    ...[after?.last ?? '0', after?.upTo.snapshot ?? null],
  ]);
  if (!row) throw new Error('the changes are not readable');
  return row;
}

const deleteOldStatement: Statement = {
  name: 'delete_old_item_changes',
  text: `WITH picked AS MATERIALIZED (
      SELECT ctid FROM item_changes WHERE changed_at < now() - interval '${keptMinutes} minutes'
      ORDER BY changed_at LIMIT $1 FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM item_changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM picked)) RETURNING 1
    ) SELECT count(*)::int AS deleted FROM deleted`,
};

/** Up to `limit` that nobody needs any more, oldest first, by item_changes_by_time; several may do it at once. */
export async function deleteOldItemChanges(db: Queryable, limit: number): Promise<number> {
  const [row] = await db.rows<{ deleted: number }>(deleteOldStatement, [limit]);
  return row?.deleted ?? 0;
}
