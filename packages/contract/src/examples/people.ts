import { ids, minute, morning } from './bookshop.ts';
import type { Examples } from './example.ts';

const person = {
  person_id: ids.person,
  email: 'anna@example.com',
  name: 'Anna',
  role: 'EDITOR' as const,
  created_ts: morning,
  last_used_ts: morning + 5 * minute,
};
const ref = { person_id: ids.person };
const { email, name, role } = person;

export const peopleExamples: Examples<
  'invitePerson' | 'getPerson' | 'listPeople' | 'updatePerson' | 'removePerson' | 'listAuditEvents'
> = {
  invitePerson: {
    request: { email, name, role },
    response: {
      ...person,
      last_used_ts: null,
      link: 'https://tastegraph.example.com/sign-in#token=Zk3vQm8…',
      link_expires_ts: morning + 24 * 60 * minute,
    },
  },
  getPerson: { request: ref, response: person },
  listPeople: { request: {}, response: { people: [person], next_page_token: null, message: null } },
  updatePerson: { request: { ...ref, role: 'OPERATOR' }, response: { ...person, role: 'OPERATOR' } },
  removePerson: { request: ref, response: { ...person, role: 'OPERATOR' } },
  listAuditEvents: {
    request: { page_size: 1 },
    response: {
      audit_events: [
        {
          ts: morning + 6 * minute,
          actor_type: 'PERSON',
          actor_id: ids.person,
          actor_email: email,
          operation: '/update-project',
          object_id: ids.project,
          result: 'SUCCEEDED',
          calls: 1,
          request_id: '5f0c7d1e-2a4b-4c8e-9f3a-6d1b7e8c9a02',
        },
      ],
      next_page_token: 'q0c5…',
      message: null,
    },
  },
};
