import type { Queryable, Statement } from '../kernel/postgres/pool.ts';
import { boundedRows, epochMs, type PageRow, type PageSize } from '../kernel/postgres/sql-fragments.ts';
import { affected, none } from '../kernel/postgres/statement.ts';

export interface AuditEventRow {
  readonly event_key: number;
  readonly ts: number;
  readonly actor_id: string;
  readonly actor_email: string | null;
  readonly operation: string;
  readonly object_id: string | null;
  readonly result: string;
  readonly calls: number;
  readonly request_id: string;
}

export interface NewAuditEvent extends Omit<AuditEventRow, 'event_key' | 'ts' | 'calls'> {
  readonly accountId: string;
  /** Counts the calls of an hour in one row. */
  readonly isCounted: boolean;
}

export const insertAuditEvent = none<[event: NewAuditEvent]>(
  'insert_audit_event',
  `INSERT INTO audit_events (account_id, actor, actor_email, operation, object_id, result, request_id, hour)
    VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $8 THEN date_trunc('hour', now()) END)
    ON CONFLICT (account_id, actor, operation, object_id, result, hour) WHERE hour IS NOT NULL
      DO UPDATE SET calls = audit_events.calls + 1, request_id = excluded.request_id`,
  (event) => [
    event.accountId,
    event.actor_id,
    event.actor_email,
    event.operation,
    event.object_id,
    event.result,
    event.request_id,
    event.isCounted,
  ],
);

/** One statement for each combination of columns, so that each uses its own index. */
const listStatement = (filtered: readonly string[]): Statement => ({
  name: ['list_audit_events', ...filtered].join('_'),
  text: boundedRows(
    'event_key DESC',
    '$4',
    `SELECT event_key::float8 AS event_key, ${epochMs('created_at')} AS ts, actor AS actor_id, actor_email, operation,
        object_id, result, calls, request_id
      FROM audit_events WHERE account_id = $1 AND event_key < $2::float8::bigint
        ${filtered.map((column, index) => `AND ${column} = $${index + 5}`).join(' ')}
      ORDER BY audit_events.event_key DESC LIMIT $3`,
  ),
});

/** Newest first, older than `beforeKey`. Uses audit_events_by_account, or by_actor or by_operation with a filter. */
export async function listAuditEventRows(
  db: Queryable,
  accountId: string,
  filter: Readonly<Record<'actor' | 'operation', string | undefined>>,
  beforeKey: number,
  { limit, bytes }: PageSize,
): Promise<(AuditEventRow & PageRow)[]> {
  const filters = Object.entries(filter).filter(([, value]) => value !== undefined);
  const values = filters.map(([, value]) => value);
  const columns = filters.map(([column]) => column);
  return db.rows(listStatement(columns), [accountId, beforeKey, limit, bytes, ...values]);
}

/** Removes up to `limit` events older than `days` days. Uses audit_events_by_time. */
export const purgeAuditEvents = affected<[days: number, limit: number]>(
  'purge_audit_events',
  `DELETE FROM audit_events WHERE event_key IN (
      SELECT event_key FROM audit_events WHERE created_at < now() - $1 * interval '1 day' ORDER BY created_at LIMIT $2)
    RETURNING event_key`,
);
