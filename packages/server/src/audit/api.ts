import type { Response } from '@tastegraph/contract';
import type { Handlers } from '../http/handlers.ts';
import { listKeyedPage } from '../http/pages.ts';
import { type AuditEventRow, listAuditEventRows } from './rows.ts';

const auditEvent = (row: AuditEventRow): Response<'listAuditEvents'>['audit_events'][number] => ({
  ts: row.ts,
  actor_type: row.actor_email === null ? 'API_KEY' : 'PERSON',
  actor_id: row.actor_id,
  actor_email: row.actor_email,
  operation: row.operation,
  object_id: row.object_id,
  result: row.result,
  calls: row.calls,
  request_id: row.request_id,
});

export const api = () =>
  ({
    /** Newest first. A page token is valid for the same filter only. */
    listAuditEvents: async (call, { actor_id: actor, operation, ...request }) => {
      const { items, ...page } = await listKeyedPage(call, request, {
        name: `audit events ${actor ?? ''} ${operation ?? ''}`,
        start: Number.MAX_SAFE_INTEGER,
        keyOf: (row: AuditEventRow) => row.event_key,
        present: auditEvent,
        rows: (before, size) =>
          listAuditEventRows(call.db, call.accountId, { actor, operation }, before, size),
      });
      return { audit_events: items, ...page };
    },
  }) as const satisfies Handlers;
