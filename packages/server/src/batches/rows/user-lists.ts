import type { DatasetLocation } from '../../datasets/rows/datasets.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';

/** The next users with a record, in byte order of their IDs. Scans the primary key. */
export async function listRecordedUsers(
  db: Queryable,
  { table, key }: DatasetLocation,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.rows<{ user_id: string }>(
    {
      name: `list_recorded_users_${table}`,
      text: `SELECT user_id FROM ${table} WHERE dataset_key = $1 AND user_id > $2 ORDER BY user_id LIMIT $3`,
    },
    [key, after, limit],
  );
  return rows.map(({ user_id }) => user_id);
}

/**
 * The next users with events, in byte order of their IDs. Goes from one user to the next with one lookup in
 * events_by_user, however many events each has.
 */
export async function listActiveUsers(
  db: Queryable,
  { table, key }: DatasetLocation,
  after: string,
  limit: number,
): Promise<string[]> {
  const next = (previous: string) =>
    `SELECT user_id FROM ${table} WHERE dataset_key = $1 AND user_id > ${previous} ORDER BY user_id LIMIT 1`;
  const rows = await db.rows<{ user_id: string }>(
    {
      name: `list_active_users_${table}`,
      text: `WITH RECURSIVE active (user_id, place) AS (
          (SELECT user_id, 1 FROM (${next('$2')}) first)
        UNION ALL
          SELECT following.user_id, place + 1 FROM active, LATERAL (${next('active.user_id')}) following
          WHERE place < $3
        )
        SELECT user_id FROM active ORDER BY place`,
    },
    [key, after, limit],
  );
  return rows.map(({ user_id }) => user_id);
}
