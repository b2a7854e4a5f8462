import type { Queryable } from '../../kernel/postgres/pool.ts';
import {
  type KnownRow,
  type KnownUser,
  knownColumns,
  type ServedProject,
  toKnownUsers,
} from '../../serving/rows/serving-reads.ts';

/**
 * The state of the first users that have events, in ID order. Goes from one user to the next with one lookup in
 * events_by_user, however many events each has.
 */
export async function listSampleUsers(
  db: Queryable,
  project: ServedProject,
  limit: number,
): Promise<KnownUser[]> {
  const { users, events } = project;
  const next = (after: string) =>
    `SELECT user_id FROM ${events.table} WHERE dataset_key = $2${after} ORDER BY user_id LIMIT 1`;
  const rows = await db.rows<KnownRow>(
    {
      name: `list_sample_users_${events.table}`,
      text: `WITH RECURSIVE sample (user_id, place) AS (
          (SELECT user_id, 1 FROM (${next('')}) first)
        UNION ALL
          SELECT following.user_id, place + 1 FROM sample, LATERAL (${next(' AND user_id > sample.user_id')}) following
          WHERE place < $3
        )
        SELECT ${knownColumns({ users: { partition: '$4', key: '$1' }, events: { partition: '$5', key: '$2' }, userId: 'sample.user_id' })} FROM sample`,
    },
    [users.key, events.key, limit, users.partition, events.partition],
  );
  return toKnownUsers(project.account_id, rows);
}
