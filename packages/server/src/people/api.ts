import type { Response } from '@tastegraph/contract';
import { listAuditEvents } from '../audit/list-audit-events.ts';
import type { Handlers } from '../http/handlers.ts';
import { getPerson, invitePerson, listPeople, removePerson, updatePerson } from './manage-people.ts';

type MemberRow = Awaited<ReturnType<typeof getPerson>>;
type AuditEventRow = Parameters<Parameters<typeof listAuditEvents>[2]>[0];

const person = (row: MemberRow): Response<'getPerson'> => ({
  person_id: row.person_id,
  email: row.email,
  name: row.name,
  role: row.role,
  created_ts: row.created_ts,
  last_used_ts: row.last_used_ts,
});

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

/** `baseUrl`: where sign-in links lead to. */
export const peopleHandlers = (baseUrl: string) =>
  ({
    invitePerson: async (call, request) => {
      const { link, link_expires_ts, ...row } = await invitePerson(call, baseUrl, request);
      return { ...person(row), link, link_expires_ts };
    },
    getPerson: async (call, { person_id }) => person(await getPerson(call, person_id)),
    listPeople: async (call, request) => {
      const { items, ...page } = await listPeople(call, request, person);
      return { people: items, ...page };
    },
    updatePerson: async (call, { person_id, role }) => person(await updatePerson(call, person_id, role)),
    removePerson: async (call, { person_id }) => person(await removePerson(call, person_id)),
    listAuditEvents: async (call, request) => {
      const { items, ...page } = await listAuditEvents(call, request, auditEvent);
      return { audit_events: items, ...page };
    },
  }) as const satisfies Handlers;
