import Type from 'typebox';
import { AlgorithmParameters, AlgorithmType } from '../algorithms/index.ts';
import { ids, minute, morning } from '../bookshop.ts';
import { Closed, EventType, Id, Name, NamedObject, Natural, NullableTs } from '../fields.ts';
import { defineJobType } from '../job-type.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';

const HoldoutHours = Type.Integer({
  minimum: 1,
  maximum: limits.holdoutHoursMax,
  description:
    'Do not train on the events of the last hours, so that a guarded deployment right after the training has newer events to compare on. Recommendations still take them into account. If absent, all events are used.',
});

export const training = defineJobType({
  data: NamedObject('TrainingJobData', {
    algorithm_type: AlgorithmType,
    algorithm_parameters: AlgorithmParameters,
    holdout_hours: Type.Optional(HoldoutHours),
  }),
  result: NamedObject('TrainingJobResult', { model_id: Id('model') }),
  submit: {
    summary: 'Train a model',
    description:
      'When the job succeeds, `/list-models` lists the model. Training reads the data as of one moment. Recommendations also take later events of the user into account. If the plan of the account caps training hours, only successful jobs use them up.',
    request: Closed({
      project_id: Id('project'),
      algorithm_id: Id('algorithm'),
      name: Name('job and of the model it trains'),
      holdout_hours: Type.Optional(HoldoutHours),
    }),
  },
  example: {
    request: { project_id: ids.project, algorithm_id: ids.algorithm, name: 'Monday' },
    response: { job_id: ids.training },
  },
});

const CheckTraining = Closed({
  project_id: Id('project'),
  algorithm_id: Type.Optional(Id('algorithm', undefined, 'Defaults to `G1` without parameters.')),
});

const Counts = NamedObject(
  'TrainingCheckCounts',
  {
    events: Natural('The number of events. It is exact even if the other counts are estimates.'),
    target_events: Natural('The number of events of the target event type.'),
    users: Natural('The number of users with events.'),
    users_with_one_event: Natural('The number of users with exactly one event, of any type.'),
    items: Natural('The number of items that occur in events.'),
    items_without_record: Natural(
      'The number of items that occur in events but have no record. They are never recommended.',
    ),
    user_records: Natural("The number of records in the project's user dataset."),
    item_records: Natural("The number of records in the project's item dataset."),
  },
  'The data that the model would be trained on.',
);

const EventTypeCount = NamedObject('EventTypeCount', {
  event_type: EventType(),
  count: Natural('The number of events of this type.'),
  is_target: Type.Boolean({ description: 'Whether this is the target event type of the project.' }),
});

const Finding = NamedObject('TrainingFinding', {
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
      'TIMES_IN_FUTURE',
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
});

const Estimate = NamedObject(
  'TrainingEstimate',
  {
    seconds: Natural('The estimated duration of the training, in seconds.'),
    memory_bytes: Natural('The estimated peak memory of the worker, in bytes.'),
    basis: Type.String({ description: 'What the estimate is based on.' }),
  },
  'The estimated cost of the training.',
);

const TrainingCheck = NamedObject('TrainingCheck', {
  can_train: Type.Boolean({ description: 'Whether training can succeed: true if no finding is an `ERROR`.' }),
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
});

const operations = {
  checkTraining: {
    summary: 'Check the data before training, and estimate the time and memory that training needs',
    description:
      'Reads the current data and changes nothing. With `algorithm_id`, it checks the requirements and the parameters of that algorithm; without it, those of `G1`. For large datasets, it estimates the counts from a sample, and `sampled` is true. Each finding says what to do next.',
    request: CheckTraining,
    response: TrainingCheck,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

export const trainingOperations = defineOperations('Jobs', operations, {
  checkTraining: {
    request: { project_id: ids.project, algorithm_id: ids.algorithm },
    response: {
      can_train: true,
      sampled: false,
      counts: {
        events: 37_595,
        target_events: 8120,
        users: 4870,
        users_with_one_event: 310,
        items: 1190,
        items_without_record: 4,
        user_records: 5000,
        item_records: 1200,
      },
      event_types: [
        { event_type: 'view', count: 29_475, is_target: false },
        { event_type: 'buy', count: 8120, is_target: true },
      ],
      first_ts: morning - 129_600 * minute,
      last_ts: morning,
      findings: [
        {
          severity: 'INFO',
          code: 'ITEMS_WITHOUT_RECORD',
          message: '4 items have events but no record, and are never recommended. Import them.',
        },
      ],
      not_checked: [],
      estimate: { seconds: 6, memory_bytes: 268_435_456, basis: '37595 events, 1190 items, 2 threads' },
    },
  },
});
