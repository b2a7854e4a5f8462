import Type from 'typebox';
import { ids, lastPage, minute, morning } from '../bookshop.ts';
import { emailPattern } from '../console.ts';
import { roles } from '../endpoints.ts';
import { Closed, Id, Name, NamedObject, Nullable, NullableTs, Page, PageQuery, Ts, text } from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';
import { ApiKey, keyExample } from './api-keys.ts';

const Email = Type.String({
  pattern: emailPattern,
  description: "The person's email address. Upper and lower case are the same.",
});

const PersonRole = Type.Enum([...roles], {
  description: 'What the person may do in this account: each role includes the ones before it.',
});

const personFields = {
  person_id: Id('person'),
  email: Email,
  name: Name('person'),
  role: PersonRole,
  created_ts: Ts('When the person got a role in the account'),
  last_used_ts: NullableTs('When the person last used the console', 'Null without a session.'),
};

const PersonRef = Closed({ person_id: Id('person') });

const Person = NamedObject('Person', personFields);

const InvitedPerson = NamedObject('InvitedPerson', {
  ...personFields,
  link: Type.String({
    description:
      'Signs the person in to the console once, within 24 hours. Send it to the person as you would send a password.',
  }),
  link_expires_ts: Ts('When the link expires'),
});

const RemovedPerson = NamedObject('RemovedPerson', {
  ...personFields,
  api_keys: Type.Array(ApiKey, {
    description:
      'The API keys that still work and that the person created, themselves or through such a key. Revoke those whose secret they should no longer have.',
  }),
});

const ListAuditEvents = Closed({
  actor_id: Type.Optional(text(100, 'Only changes by this person (their ID) or this API key.')),
  operation: Type.Optional(
    text(100, 'Only calls of this operation, by its path, such as `/delete-project`.'),
  ),
  ...PageQuery,
});

const AuditEvent = NamedObject('AuditEvent', {
  ts: Ts('When the change was made; for several calls, when the first one was'),
  actor_type: Type.Enum(['PERSON', 'API_KEY'], { description: 'Who made the change.' }),
  actor_id: Type.String({ description: 'The ID of the person, or the API key.' }),
  actor_email: Nullable(Type.String(), {
    description: "The person's email at that time. Null for an API key.",
  }),
  operation: Type.String({ description: 'The path of the operation, such as `/delete-project`.' }),
  object_id: Nullable(Type.String(), {
    description:
      'What was changed: the ID that the service issued; for a scenario, the ID of the project and the name.',
  }),
  result: Type.String({
    description: '`SUCCEEDED`, or the code of the error if it is not known whether the change took effect.',
  }),
  calls: Type.Integer({
    minimum: 1,
    description:
      'The number of calls. Above 1 only for upserts and deletions of records, which are counted per hour and dataset.',
  }),
  request_id: Type.String({ description: 'The `X-Request-Id` of the call, or of the last one.' }),
});

const operations = {
  invitePerson: {
    summary: 'Invite a person to the account',
    description: `Gives the person a role and returns a one-time link to sign in. For a person of this account, it replaces the role, and the link replaces their password and sessions, for example if they have forgotten the password. Whether the email is in use in another account makes no difference. An account has at most ${limits.peoplePerAccount} people.`,
    request: Closed({ email: Email, name: Name('person'), role: PersonRole }),
    response: InvitedPerson,
    errors: ['LAST_OWNER', 'QUOTA_EXCEEDED'],
  },
  getPerson: {
    summary: 'Get a person of the account',
    description: '',
    request: PersonRef,
    response: Person,
    errors: ['NOT_FOUND'],
  },
  listPeople: {
    summary: 'List the people of the account',
    description: 'By ID, which is the order in which they were first invited.',
    request: Closed(PageQuery),
    response: Page('people', Person, 'by ID'),
    errors: [],
  },
  updatePerson: {
    summary: "Change a person's role",
    description: 'Takes effect within two seconds, in all sessions of the person.',
    request: Closed({ person_id: Id('person'), role: PersonRole }),
    response: Person,
    errors: ['NOT_FOUND', 'LAST_OWNER'],
  },
  removePerson: {
    summary: 'Remove a person from the account',
    description:
      'Returns the removed person. Their password, sessions, link and identity end with them; sessions and download URLs within two seconds. API keys that they created go on working: `api_keys` lists them.',
    request: PersonRef,
    response: RemovedPerson,
    errors: ['NOT_FOUND', 'LAST_OWNER'],
  },
  listAuditEvents: {
    summary: 'List the changes made in the account',
    description:
      'Every change by a person or an API key, newest first, with who, when and what. Contents of records and secrets are never part of it. Upserts by API keys are not listed; other writes of records are counted per hour, dataset and caller. Calls that were refused are only in the log.',
    request: ListAuditEvents,
    response: Page('audit_events', AuditEvent),
    errors: [],
  },
} as const satisfies Record<string, OperationFields>;

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

export const peopleOperations = defineOperations('People', operations, {
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
  listPeople: { request: {}, response: { people: [person], ...lastPage } },
  updatePerson: { request: { ...ref, role: 'OPERATOR' }, response: { ...person, role: 'OPERATOR' } },
  removePerson: { request: ref, response: { ...person, role: 'OPERATOR', api_keys: [keyExample] } },
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
});
