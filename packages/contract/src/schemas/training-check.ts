import Type from 'typebox';
import { limits } from '../limits.ts';
import { Closed, EventType, Id, Named, NullableTs } from './fields.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const CheckTraining = Closed({
  project_id: Id('project'),
  algorithm_id: Type.Optional(Id('algorithm', undefined, 'Defaults to `G1` without parameters.')),
});

const Counts = Named(
  'TrainingCheckCounts',
  Closed(
    {
      events: Count('The number of events. It is exact even if the other counts are estimates.'),
      target_events: Count('The number of events of the target event type.'),
      users: Count('The number of users with events.'),
      users_with_one_event: Count('The number of users with exactly one event, of any type.'),
      items: Count('The number of items that occur in events.'),
      items_without_record: Count(
        'The number of items that occur in events but have no record. They are never recommended.',
      ),
      user_records: Count("The number of records in the project's user dataset."),
      item_records: Count("The number of records in the project's item dataset."),
    },
    { description: 'The data that the model would be trained on.' },
  ),
);

const EventTypeCount = Named(
  'EventTypeCount',
  Closed({
    event_type: EventType(),
    count: Count('The number of events of this type.'),
    is_target: Type.Boolean({ description: 'Whether this is the target event type of the project.' }),
  }),
);

const Finding = Named(
  'TrainingFinding',
  Closed({
    severity: Type.Enum(['ERROR', 'WARNING', 'INFO'], {
      description:
        'The severity. `ERROR`: training would fail, or produce a model that cannot recommend anything. `WARNING`: training may fail, or would produce a poor model. `INFO`: no problem, but worth knowing.',
    }),
    code: Type.Enum(
      [
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
        'MODEL_TOO_LARGE',
        'TOO_MANY_EVENTS',
        'PARTS_NOT_CHECKED',
      ],
      { description: 'The code of the finding. Its meaning never changes; `message` explains it.' },
    ),
    message: Type.String({ description: 'What was found, with numbers, and what to do about it.' }),
  }),
);

const Estimate = Named(
  'TrainingEstimate',
  Closed(
    {
      seconds: Type.Integer({
        minimum: 0,
        description: 'The estimated duration of the training, in seconds.',
      }),
      memory_bytes: Type.Integer({
        minimum: 0,
        description: 'The estimated peak memory of the worker, in bytes.',
      }),
      basis: Type.String({ description: 'What the estimate is based on.' }),
    },
    { description: 'The estimated cost of the training.' },
  ),
);

export const TrainingCheck = Named(
  'TrainingCheck',
  Closed({
    can_train: Type.Boolean({
      description: 'Whether training can succeed: true if no finding is an `ERROR`.',
    }),
    sampled: Type.Boolean({
      description:
        'Whether the counts, except those of events and records, are estimates from a sample of the events.',
    }),
    counts: Counts,
    event_types: Type.Array(EventTypeCount, {
      maxItems: limits.checkedEventTypes,
      description: 'The event types, most frequent first.',
    }),
    first_ts: NullableTs('The time of the oldest event', 'Null if there are no events.'),
    last_ts: NullableTs('The time of the newest event', 'Null if there are no events.'),
    findings: Type.Array(Finding, { description: 'What was found, most severe first.' }),
    not_checked: Type.Array(Type.Enum(['events', 'times', 'item_attributes', 'user_attributes']), {
      description:
        'The parts of the data that could not be read in time; usually empty. If `events` was not checked, all counts that come from events are 0, except for the number of events.',
    }),
    estimate: Estimate,
  }),
);
