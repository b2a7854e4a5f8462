import Type from 'typebox';
import { ids, minute, morning } from '../bookshop.ts';
import { Closed, EventType, Id, NamedObject, Natural, Nullable, Ts } from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';

const Ms = (description: string) => Nullable(Type.Number({ minimum: 0 }), { description });

const range = {
  since_ts: Type.Optional(
    Ts('The start of the time range, rounded down to the interval; by default 30 days before its end'),
  ),
  until_ts: Type.Optional(Ts('The end of the time range, exclusive; by default now')),
};

const GetProjectStatistics = Closed({
  project_id: Id('project'),
  ...range,
  interval: Type.Optional(
    Type.Enum(['HOUR', 'DAY'], {
      default: 'DAY',
      description: `The length of the intervals in \`calls\`. Days are in UTC. A range may have at most ${limits.statisticsHours} hours or ${limits.statisticsDays} days.`,
    }),
  ),
});

const callCounts = {
  calls: Natural('The number of recommendation calls, whatever their outcome.'),
  client_errors: Natural('Calls with a response of status 4xx, except 429.'),
  refused: Natural('Calls that were refused with 429, because of `qps` or too many concurrent calls.'),
  server_errors: Natural('Calls with a response of status 5xx.'),
  degraded: Natural('Successful calls whose response lists missing parts in `degraded`.'),
  p50_ms: Ms(
    'The median time that a successful call took in the service, in milliseconds. Null without one.',
  ),
  p99_ms: Ms(
    'The 99th percentile of that time. Both are exact to the next of 20 steps, which are about a factor of 1.5 apart.',
  ),
};

const CallStatistics = NamedObject('CallStatistics', { ts: Ts('The start of the interval'), ...callCounts });

const CallTotals = NamedObject('CallTotals', callCounts, 'All recommendation calls in the time range.');

const ReceivedEvents = NamedObject('ReceivedEvents', {
  ts: Ts('The start of the day, in UTC'),
  event_type: Nullable(EventType(), {
    description: `The event type. Null: all types other than the ${limits.statisticsEventTypes} most frequent ones.`,
  }),
  events: Natural('The number of events with a `ts` on this day that were written.'),
});

const RecordCounts = NamedObject('RecordCounts', {
  ts: Ts('The start of the day, in UTC'),
  users: Nullable(Natural(''), { description: 'The number of user records. Null if it was not counted.' }),
  items: Nullable(Natural(''), { description: 'The number of item records. Null if it was not counted.' }),
  events: Nullable(Natural(''), { description: 'The number of events. Null if it was not counted.' }),
});

const ProjectStatistics = NamedObject('ProjectStatistics', {
  project_id: Id('project'),
  interval: Type.Enum(['HOUR', 'DAY'], { description: 'The length of the intervals in `calls`.' }),
  since_ts: Ts('The start of the time range'),
  until_ts: Ts('The end of the time range, exclusive'),
  total: CallTotals,
  calls: Type.Array(CallStatistics, {
    description:
      'The recommendation calls of each interval, oldest first. Intervals without calls are absent.',
  }),
  events: Type.Array(ReceivedEvents, {
    description:
      'The events written per day of their `ts` and type, oldest first. An event that is written twice counts twice, and deleted events stay counted. Events of more than twenty years ago or of the future are not counted.',
  }),
  records: Type.Array(RecordCounts, {
    description:
      "How many records the project's datasets had at the end of each day, oldest first; the last one is the current number. Days without a worker are absent.",
  }),
});

const ResourceUsage = NamedObject('ResourceUsage', {
  resource: Type.Enum(
    [
      'USER_SHARDS',
      'ITEM_SHARDS',
      'EVENT_SHARDS',
      'PROJECTS',
      'ALGORITHMS',
      'MODELS',
      'TRAINING_HOURS',
      'QPS',
      'RECORDS',
      'MODEL_BYTES',
    ],
    {
      description:
        'What is used. `QPS` is the highest `qps` of a deployment; `RECORDS` are the records of all datasets, limited by their shards; `MODEL_BYTES` is the size of the files of all models.',
    },
  ),
  used: Type.Number({ minimum: 0, description: 'How much the account uses now.' }),
  limit: Nullable(Type.Number({ minimum: 0 }), { description: 'How much the plan allows. Null: unlimited.' }),
});

const CallerUsage = NamedObject('CallerUsage', {
  project_id: Nullable(Id('project'), {
    description: 'The ID of the project. Null for calls that belong to no project, such as upserts.',
  }),
  caller_type: Type.Enum(['PERSON', 'API_KEY'], { description: 'Who called.' }),
  caller_id: Type.String({ description: 'The ID of the person, or the API key.' }),
  recommendations: Natural('The number of recommendation calls.'),
  other_calls: Natural('The number of other calls.'),
  errors: Natural('How many of all these calls had a response of status 4xx or 5xx.'),
});

const Usage = NamedObject('Usage', {
  since_ts: Ts('The start of the time range of `calls`'),
  until_ts: Ts('The end of the time range of `calls`, exclusive'),
  plan: Type.String({ description: "The name of the account's plan." }),
  resources: Type.Array(ResourceUsage, { description: 'What the account uses of what its plan allows.' }),
  calls: Type.Array(CallerUsage, {
    description: `The calls per project and caller, most calls first. At most ${limits.usageCallers.toLocaleString('en')} entries.`,
  }),
});

const freshness =
  'Processes count in memory and write their counts every 10 seconds, so the newest calls appear with this delay; a process that is killed loses the counts of these seconds. Counts of calls are kept for 90 days, those of records for 400.';

const operations = {
  getProjectStatistics: {
    summary: 'Get the calls, events and records of a project over time',
    description: freshness,
    request: GetProjectStatistics,
    response: ProjectStatistics,
    errors: ['NOT_FOUND'],
  },
  getUsage: {
    summary: 'Get what the account uses of its plan, and its calls by project and caller',
    description: freshness,
    request: Closed(range),
    response: Usage,
    errors: [],
  },
} as const satisfies Record<string, OperationFields>;

const day = 24 * 60 * minute;
const today = morning - (morning % day);

const calls = {
  calls: 18_204,
  client_errors: 3,
  refused: 0,
  server_errors: 1,
  degraded: 2,
  p50_ms: 4.1,
  p99_ms: 17.6,
};

export const usageOperations = defineOperations('Usage', operations, {
  getProjectStatistics: {
    request: { project_id: ids.project, since_ts: today },
    response: {
      project_id: ids.project,
      interval: 'DAY',
      since_ts: today,
      until_ts: morning,
      total: calls,
      calls: [{ ts: today, ...calls }],
      events: [
        { ts: today, event_type: 'view', events: 4120 },
        { ts: today, event_type: 'buy', events: 611 },
      ],
      records: [{ ts: today, users: 5000, items: 1200, events: 37_595 }],
    },
  },
  getUsage: {
    request: { since_ts: today },
    response: {
      since_ts: today,
      until_ts: morning,
      plan: 'default',
      resources: [
        { resource: 'EVENT_SHARDS', used: 1, limit: 10_000 },
        { resource: 'TRAINING_HOURS', used: 0.4, limit: null },
      ],
      calls: [
        {
          project_id: ids.project,
          caller_type: 'API_KEY',
          caller_id: 'tg_main_4dQ8sT2vX6yZ9aB3cE7fG1hJ',
          recommendations: 18_204,
          other_calls: 12,
          errors: 4,
        },
      ],
    },
  },
});
