import Type from 'typebox';
import { emailPattern } from '../console.ts';
import { roles } from '../endpoints.ts';
import { Closed, Id, Name, Named, Nullable, NullableTs, PageQuery, Ts, text } from './fields.ts';

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

export const PersonRef = Closed({ person_id: Id('person') });

export const Person = Named('Person', Closed(personFields));

export const InvitePerson = Closed({ email: Email, name: Name('person'), role: PersonRole });

export const InvitedPerson = Named(
  'InvitedPerson',
  Closed({
    ...personFields,
    link: Type.String({
      description:
        'Signs the person in to the console once, within 24 hours. Send it to the person as you would send a password.',
    }),
    link_expires_ts: Ts('When the link expires'),
  }),
);

export const UpdatePerson = Closed({ person_id: Id('person'), role: PersonRole });

export const ListAuditEvents = Closed({
  actor_id: Type.Optional(text(100, 'Only changes by this person (their ID) or this API key.')),
  operation: Type.Optional(
    text(100, 'Only calls of this operation, by its path, such as `/delete-project`.'),
  ),
  ...PageQuery,
});

export const AuditEvent = Named(
  'AuditEvent',
  Closed({
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
  }),
);
