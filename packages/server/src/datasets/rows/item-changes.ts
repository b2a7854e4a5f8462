import type { Database, Queryable } from '../../kernel/postgres/pool.ts';
import { count, only, value } from '../../kernel/postgres/statement.ts';
import type { DatasetLocation } from './datasets.ts';

/** How far a mirror of a dataset's items has read: it has everything that `snapshot` sees. */
export interface ItemsPosition {
  /** PostgreSQL's text of a snapshot: the transactions that it sees. On a standby, those that had ended before all others. */
  readonly snapshot: string;
  /** Sees these transactions too, and on a standby also those that were in progress. */
  readonly upTo: string;
  /** Start time of the PostgreSQL server. Transaction IDs may restart after a restore or a failover. */
  readonly server: number;
  /** By PostgreSQL's clock. */
  readonly readAt: number;
  /** The dataset's attributes of kind VECTOR(n), in order. A mirror keeps them at one byte per number. */
  readonly vectors: readonly string[];
}

interface ItemChanges {
  /** The current snapshot. The mirror has reached it when `more` is false. */
  readonly position: ItemsPosition;
  /** False if changes may be missing from the list. The mirror must then read all items again. */
  readonly isContinuous: boolean;
  /** Items written or deleted since. */
  readonly ids: readonly string[];
  /** The last transaction of this page; the next page starts after it. */
  readonly last: string | null;
  readonly more: boolean;
}

/** How long a change is stored. */
const retentionMinutes = 60;
/**
 * A mirror that has not read for this long must read all items again. The margin to the retention covers transactions
 * that commit late: one that writes items is a few statements of at most 30 s each.
 */
const continuousMinutes = 30;
/** Rows per page, each with up to 1000 IDs: half a megabyte, parsed in a few milliseconds. */
const pageRows = 20;

const seconds = (time: string) => `extract(epoch FROM ${time})::float8`;

/**
 * On a standby, pg_current_snapshot() does not list the transactions in progress, and so seems to see them. They are between xmin and
 * xmax: a snapshot that sees none from xmin on misses no change, and lets a mirror read some of them again.
 */
const snapshotText = `CASE WHEN pg_is_in_recovery()
  THEN format('%s:%1$s:', pg_snapshot_xmin(pg_current_snapshot())) ELSE pg_current_snapshot()::text END`;

/** $1 is the dataset's key. */
const positionColumns = `json_build_object('snapshot', ${snapshotText}, 'upTo', pg_current_snapshot()::text,
  'server', ${seconds('pg_postmaster_start_time()')}, 'readAt', ${seconds('now()')},
  'vectors', (SELECT coalesce(json_agg(kind.key ORDER BY kind.key), '[]') FROM datasets d, jsonb_each_text(d.attribute_schema) kind
    WHERE d.dataset_key = $1 AND kind.value LIKE 'VECTOR(%')) AS position`;

/**
 * A CTE for a statement that writes items: adds the `id`s of `written` to the list of changes in the same transaction.
 * One row per statement, none if nothing was written. $1 is the dataset's key.
 */
export const itemChangesCte = (written: string) => `noted AS (
    INSERT INTO item_changes (dataset_key, item_ids) SELECT $1, array_agg(id) FROM ${written} HAVING count(*) > 0
  )`;

const readPosition = only<[datasetKey: number], { position: ItemsPosition }>(
  'read_items_position',
  `SELECT ${positionColumns}`,
);

/** The position from which a mirror continues after reading all items. Call it before that read. */
export async function readItemsPosition(db: Queryable, { key }: DatasetLocation): Promise<ItemsPosition> {
  return (await readPosition(db, key)).position;
}

/** The address leads to another server now, which may be at another position. */
class OtherServerError extends Error {
  override readonly name = 'OtherServerError';
}

const readServer = value<[], number>(
  'read_server',
  `SELECT ${seconds('pg_postmaster_start_time()')} AS server`,
);

/**
 * Reads items for a mirror that is at this position. Throws OtherServerError instead of reading from another server: one that is
 * behind would return records without changes that the position includes.
 */
export async function readAt<T>(
  db: Database,
  { server }: ItemsPosition,
  read: (tx: Queryable) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    if ((await readServer(tx)) !== server)
      throw new OtherServerError('the items are read from another server now');
    return read(tx);
  });
}

const pageEnd = `ORDER BY changed_by FETCH FIRST ${pageRows} ROWS WITH TIES`;

/** The dataset's changes after `last` that the target snapshot sees. */
const changesWhere = (changedBy: string) => `SELECT changed_by, item_ids FROM item_changes
  WHERE dataset_key = $1 AND changed_by ${changedBy} AND changed_by > $5::xid8
    AND ($6::pg_snapshot IS NULL OR pg_visible_in_snapshot(changed_by, $6::pg_snapshot))`;

/**
 * The items written or deleted by transactions that the current snapshot sees and `since` does not, page by page (the
 * first page without `after`). On a primary, each is returned exactly once, in whatever order transactions began and committed:
 * `since` lists the transactions that were in progress, and sees none that began later. Both kinds are looked up in
 * item_changes_by_dataset, so that a transaction that stays open for hours costs nothing. On a standby, `since` does not list them,
 * so each sync gets all changes since the oldest of them began again: up to an hour's changes if a writing transaction stays open.
 * Takes no lock.
 */
export const readItemChanges = only<
  [
    items: DatasetLocation,
    since: ItemsPosition,
    after?: { readonly last: string | null; readonly upTo: ItemsPosition },
  ],
  ItemChanges
>(
  'read_item_changes',
  `WITH unseen AS (
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
  (items, since, after) => [
    items.key,
    since.snapshot,
    since.server,
    since.readAt,
    after?.last ?? '0',
    after?.upTo.upTo ?? null,
  ],
);

/** Deletes up to `limit` expired changes, oldest first, using item_changes_by_time. Safe to run concurrently. */
export const deleteOldItemChanges = count<[limit: number]>(
  'delete_old_item_changes',
  `WITH picked AS MATERIALIZED (
      SELECT ctid FROM item_changes WHERE changed_at < now() - interval '${retentionMinutes} minutes'
      ORDER BY changed_at LIMIT $1 FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM item_changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM picked)) RETURNING 1
    ) SELECT count(*)::int AS deleted FROM deleted`,
);
