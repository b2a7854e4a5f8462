import { limits } from '../limits.ts';
import { Closed, Page, PageQuery } from '../schemas/fields.ts';
import {
  AuditEvent,
  InvitedPerson,
  InvitePerson,
  ListAuditEvents,
  Person,
  PersonRef,
  UpdatePerson,
} from '../schemas/person.ts';
import type { Operation } from './operation.ts';

export const peopleOperations = {
  invitePerson: {
    concept: 'People',
    summary: 'Invite a person to the account',
    description: `Gives the person a role and returns a one-time link to sign in. For a person of this account, it replaces the role and the link, for example if they have forgotten the password. A person who belongs to another account can only be added by the operator. An account has at most ${limits.peoplePerAccount} people.`,
    request: InvitePerson,
    response: InvitedPerson,
    errors: ['PERSON_ELSEWHERE', 'LAST_OWNER', 'QUOTA_EXCEEDED'],
  },
  getPerson: {
    concept: 'People',
    summary: 'Get a person of the account',
    description: '',
    request: PersonRef,
    response: Person,
    errors: ['NOT_FOUND'],
  },
  listPeople: {
    concept: 'People',
    summary: 'List the people of the account',
    description: 'By ID, which is the order in which they were first invited.',
    request: Closed(PageQuery),
    response: Page('people', Person, 'by ID'),
    errors: [],
  },
  updatePerson: {
    concept: 'People',
    summary: "Change a person's role",
    description: 'Takes effect within two seconds, in all sessions of the person.',
    request: UpdatePerson,
    response: Person,
    errors: ['NOT_FOUND', 'LAST_OWNER'],
  },
  removePerson: {
    concept: 'People',
    summary: 'Remove a person from the account',
    description:
      'Returns the removed person. Their sessions lose the account within two seconds, and so do their download URLs.',
    request: PersonRef,
    response: Person,
    errors: ['NOT_FOUND', 'LAST_OWNER'],
  },
  listAuditEvents: {
    concept: 'People',
    summary: 'List the changes made in the account',
    description:
      'Every change by a person or an API key, newest first, with who, when and what. Contents of records and secrets are never part of it. Upserts by API keys are not listed; other writes of records are counted per hour, dataset and caller. Calls that were refused are only in the log.',
    request: ListAuditEvents,
    response: Page('audit_events', AuditEvent),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
