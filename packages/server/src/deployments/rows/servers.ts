import { none } from '../../kernel/postgres/statement.ts';

/** Heartbeat of a serving process. */
export const upsertServer = none<[serverId: string]>(
  'upsert_server',
  `INSERT INTO servers (server_id) VALUES ($1) ON CONFLICT (server_id) DO UPDATE SET seen_at = clock_timestamp()`,
);

/** Deletes the process that stops, and those not seen for a day. */
export const deleteServers = none<[serverId: string]>(
  'delete_servers',
  `DELETE FROM servers WHERE server_id = $1 OR seen_at < clock_timestamp() - interval '1 day'`,
);
