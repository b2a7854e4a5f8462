import type { Response } from '@tastegraph/contract';
import type { Handlers } from '../http/handlers.ts';
import type { Services } from '../services.ts';
import { getPerson, invitePerson, listPeople, removePerson, updatePerson } from './manage-people.ts';

type MemberRow = Awaited<ReturnType<typeof getPerson>>;

const person = (row: MemberRow): Response<'getPerson'> => ({
  person_id: row.person_id,
  email: row.email,
  name: row.name,
  role: row.role,
  created_ts: row.created_ts,
  last_used_ts: row.last_used_ts,
});

/** `baseUrl`: where sign-in links lead to. */
export const api = ({ config: { baseUrl } }: Pick<Services, 'config'>) =>
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
  }) as const satisfies Handlers;
