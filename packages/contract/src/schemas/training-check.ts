import Type from 'typebox';
import { limits } from '../limits.ts';
import { Closed, EventType, Id, Named, Nullable, Ts } from './fields.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const CheckTraining = Closed({
  project_id: Id('project'),
  algorithm_id: Type.Optional(Id('algorithm')),
});

const Counts = Named(
  'TrainingCheckCounts',
  Closed({
    events: Count('All events; exact even when the rest is estimated.'),
    target_events: Count('Events of the type that the project is to predict.'),
    users: Count('Users who have events.'),
    users_with_one_event: Count('Of those, users who have no second event of any type.'),
    items: Count('Items that occur in events.'),
    items_without_record: Count('Of those, items that have no record and so are never recommended.'),
    user_records: Count("Records in the project's user dataset."),
    item_records: Count("Records in the project's item dataset."),
  }),
);

const EventTypeCount = Named(
  'EventTypeCount',
  Closed({
    event_type: EventType,
    count: Count('Events of the type.'),
    is_target: Type.Boolean(),
  }),
);

const Finding = Named(
  'TrainingFinding',
  Closed({
    severity: Type.Enum(['ERROR', 'WARNING', 'INFO'], {
      description:
        'ERROR: a training would fail, or end in a model that can recommend nothing. WARNING: it would end in a poor one. INFO: good to know.',
    }),
    code: Type.Enum([
      'NO_EVENTS',
      'NO_TARGET_EVENTS',
      'TARGET_EVENTS_NOT_SEEN',
      'TOO_LITTLE_DATA',
      'THIN_DATA',
      'NO_ITEM_RECORDS',
      'ITEMS_WITHOUT_RECORD',
      'USERS_WITH_ONE_EVENT',
      'TIMES_IN_SECONDS',
      'ALL_AT_ONE_TIME',
      'MANY_EVENT_TYPES',
      'RARE_TARGET_EVENTS',
      'UNKNOWN_EVENT_WEIGHTS',
      'UNSHARED_ATTRIBUTE_VALUES',
    ]),
    message: Type.String({ description: 'What was found, with numbers, and what to do next.' }),
  }),
);

const Estimate = Named(
  'TrainingEstimate',
  Closed({
    seconds: Type.Integer({ minimum: 0, description: 'From the start of the training to its model.' }),
    memory_bytes: Type.Integer({ minimum: 0, description: "At the worker's peak." }),
    basis: Type.String({ description: 'What it was reckoned from.' }),
  }),
);

export const TrainingCheck = Named(
  'TrainingCheck',
  Closed({
    can_train: Type.Boolean({ description: 'No finding is an ERROR.' }),
    sampled: Type.Boolean({
      description: 'Whether counts, but for events and records, were estimated from a part of the events.',
    }),
    counts: Counts,
    event_types: Type.Array(EventTypeCount, {
      maxItems: limits.checkedEventTypes,
      description: 'Most frequent first.',
    }),
    first_ts: Nullable(Ts, { description: "The oldest event's; null when there is none." }),
    last_ts: Nullable(Ts, { description: "The newest event's; null when there is none." }),
    findings: Type.Array(Finding, { description: 'Gravest first.' }),
    estimate: Estimate,
  }),
);
