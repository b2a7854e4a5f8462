import type { Response } from '@tastegraph/contract';
import type { Handlers } from '../http/handlers.ts';
import { listAuditEvents } from './list-audit-events.ts';
import type { AuditEventRow } from './rows.ts';

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
    listAuditEvents: async (call, request) => {
      const { items, ...page } = await listAuditEvents(call, request, auditEvent);
      return { audit_events: items, ...page };
    },
  }) as const satisfies Handlers;
