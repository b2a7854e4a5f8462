import type { Queryable, Statement } from './pool.ts';

const upsertStatement: Statement = {
  name: 'upsert_server',
  text: `INSERT INTO servers (server_id) VALUES ($1) ON CONFLICT (server_id) DO UPDATE SET seen_at = clock_timestamp()`,
};

/** Heartbeat of a serving process. */
export async function upsertServer(db: Queryable, serverId: string): Promise<void> {
  await db.rows(upsertStatement, [serverId]);
}

const deleteStatement: Statement = {
  name: 'delete_servers',
  text: `DELETE FROM servers WHERE server_id = $1 OR seen_at < clock_timestamp() - interval '1 day'`,
};

/** Deletes the process that stops, and those not seen for a day. */
export async function deleteServers(db: Queryable, serverId: string): Promise<void> {
  await db.rows(deleteStatement, [serverId]);
}
