import Type, { type Static } from 'typebox';
import { ids, lastPage, minute, morning } from '../bookshop.ts';
import {
  Closed,
  Day,
  Id,
  Name,
  NamedObject,
  Natural,
  Nullable,
  NullableTs,
  Ordinal,
  Page,
  PageQuery,
  Ts,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';
import { ScenarioName } from './placements.ts';

/** What an experiment can decide by, per user. */
const experimentMetrics = ['CLICKED', 'CONVERTED', 'TARGET_EVENTS', 'VALUE'] as const;

export type ExperimentMetric = (typeof experimentMetrics)[number];

/** A verdict other than `UNDECIDED` stays, unless `INVALID` replaces it. */
const experimentVerdicts = ['UNDECIDED', 'VARIANT_BETTER', 'CONTROL_BETTER', 'INVALID'] as const;

export type ExperimentVerdict = (typeof experimentVerdicts)[number];

const Share = (description: string) => Type.Number({ minimum: 0.01, maximum: 0.99, description });

const variantName = Name('variant, unique in the experiment');

const shareMeaning = 'The share of users who get this variant.';

const NewVariant = NamedObject(
  'NewVariant',
  {
    name: variantName,
    share: Type.Optional(
      Share(
        `${shareMeaning} Users beyond the sum of all shares are not part of the experiment. Without any \`share\`, all variants get the same.`,
      ),
    ),
    model_id: Type.Optional(
      Id(
        'model',
        'The ID of the model that recommends. It need not be deployed',
        'Defaults to what is deployed at the time of the call.',
      ),
    ),
    ranker_model_id: Type.Optional(
      Id('model', 'With `model_id`: the ID of the model that orders the recommendations'),
    ),
    scenario_version: Type.Optional(
      Ordinal(
        'The version of the scenario whose settings apply. The experiment keeps a copy of them. Defaults to the current version at the time of the call.',
      ),
    ),
  },
  'What its users get. Without `model_id` and `scenario_version`, they get what everybody gets without the experiment.',
);

const definition = {
  name: Name('experiment'),
  scenario: Type.String({
    ...ScenarioName,
    description:
      'The name of the scenario whose calls are part of the experiment. `default` for calls without a scenario.',
  }),
};

const Metric = Type.Enum([...experimentMetrics], {
  description:
    'What decides, per user: `CLICKED` (the share of users with an event on a recommended item), `CONVERTED` (the share of users with a target event; the default), `TARGET_EVENTS` (target events per user) or `VALUE` (the sum of `event_value` of target events per user).',
});

const WindowHours = Type.Number({
  minimum: limits.experimentWindowHoursMin,
  maximum: limits.experimentWindowHoursMax,
  description:
    'The time after the first response to a user in which events count. A user is measured once it has passed, so that every user has had the same time. Defaults to 24.',
});

const CreateExperiment = Closed({
  project_id: Id('project'),
  ...definition,
  variants: Type.Array(NewVariant, {
    minItems: 2,
    maxItems: limits.variantsPerExperiment,
    description: 'The variants. The first one is the control, which the others are compared with.',
  }),
  metric: Type.Optional(Metric),
  window_hours: Type.Optional(WindowHours),
});

const StopExperiment = Closed({
  project_id: Id('project'),
  experiment_id: Id('experiment'),
  promote: Type.Optional(
    Type.String({
      ...variantName,
      description:
        'The name of the variant to keep for all users: its models are deployed, and its settings become a new version of the scenario. Without it, all users get what they got without the experiment.',
    }),
  ),
});

const Variant = NamedObject('Variant', {
  name: variantName,
  share: Share(shareMeaning),
  model_id: Nullable(Id('model'), {
    description: 'The ID of the model that recommends. Null for what is deployed.',
  }),
  ranker_model_id: Nullable(Id('model'), {
    description: 'The ID of the model that orders the recommendations. Null if there is none.',
  }),
  scenario_version: Nullable(Type.Integer({ minimum: 1 }), {
    description: 'The version of the scenario whose settings apply. Null for the current version.',
  }),
});

const Verdict = Type.Enum([...experimentVerdicts], {
  description:
    '`UNDECIDED`: no difference is beyond chance yet. `VARIANT_BETTER`: at least one variant is better than the control. `CONTROL_BETTER`: all variants are worse than the control. `INVALID`: users were not assigned in the planned shares, so no difference can be trusted. Without a difference, at most one experiment in twenty ever gets a wrong verdict, however often you look.',
});

const experiment = {
  project_id: Id('project'),
  experiment_id: Id('experiment'),
  ...definition,
  variants: Type.Array(Variant, { description: 'The variants. The first one is the control.' }),
  metric: Metric,
  window_hours: WindowHours,
  state: Type.Enum(['RUNNING', 'STOPPED'], { description: 'Whether calls are assigned to the variants.' }),
  created_ts: Ts('When the experiment was created and started'),
  stopped_ts: NullableTs('When the experiment was stopped', 'Null while it runs.'),
  promoted: Nullable(Type.String(), {
    description: 'The variant that all users got when the experiment was stopped. Null if there was none.',
  }),
  verdict: Verdict,
  decided_ts: NullableTs('When the verdict was reached', 'Null while it is `UNDECIDED`.'),
  winner: Nullable(Type.String(), {
    description:
      'The name of the best variant, if there is a valid verdict: of several that are better than the control, the one with the largest difference. Null otherwise.',
  }),
};

const Experiment = NamedObject('Experiment', experiment);

const Measured = (description: string) =>
  NamedObject(
    'ExperimentMeasure',
    {
      total: Type.Number({ description: 'The number or the sum, over all measured users.' }),
      rate: Nullable(Type.Number(), { description: 'The total per measured user. Null if there are none.' }),
      difference: Nullable(Type.Number(), {
        description:
          'The rate minus that of the control. Null for the control, and with fewer than 100 measured users in it or in this variant.',
      }),
      low: Nullable(Type.Number(), {
        description:
          'The lower end of the interval of the difference. It holds the true difference at all times at once with a probability of 95% (with several variants, for all of them together), so you may look at it as often as you like.',
      }),
      high: Nullable(Type.Number(), { description: 'The upper end of the interval.' }),
    },
    description,
  );

const VariantResult = NamedObject('VariantResult', {
  name: variantName,
  users: Natural('The users who got a response from this variant.'),
  answers: Natural('The responses of this variant.'),
  fallbacks: Natural(
    'The responses for which the model of the variant could not be used, so that the deployed one answered. Their users still count, because leaving them out would make the comparison unfair.',
  ),
  measured_users: Natural('The users whose `window_hours` have passed. The figures below are about them.'),
  clicked: Measured('Users with an event on a recommended item.'),
  converted: Measured('Users with a target event that followed a recommendation.'),
  target_events: Measured('Target events that followed a recommendation.'),
  value: Measured('The sum of `event_value` of these target events.'),
  verdict: Type.Enum(['CONTROL', 'UNDECIDED', 'BETTER', 'WORSE', 'INVALID'], {
    description: 'How the variant compares with the control, by `metric`.',
  }),
});

const DayResult = NamedObject('ExperimentDay', {
  day: Day,
  variants: Type.Array(
    NamedObject('ExperimentDayVariant', {
      name: variantName,
      users: Natural('The users until the end of the day.'),
      measured_users: Natural('The users whose `window_hours` passed until the end of the day.'),
      rate: Nullable(Type.Number(), { description: '`metric` per measured user.' }),
      difference: Nullable(Type.Number(), { description: 'The rate minus that of the control.' }),
      low: Nullable(Type.Number(), { description: 'The lower end of the interval of the difference.' }),
      high: Nullable(Type.Number(), { description: 'The upper end of the interval.' }),
    }),
    { description: 'In the order of `variants`.' },
  ),
});

const ExperimentResults = NamedObject('ExperimentResults', {
  ...experiment,
  measured_ts: NullableTs(
    'When the figures were computed',
    'Null before the first time. Workers compute them every few minutes.',
  ),
  message: Type.String({ description: 'The verdict in words.' }),
  sample_ratio: Closed(
    {
      p_value: Type.Number({
        minimum: 0,
        maximum: 1,
        description:
          'The probability of numbers of users that are this far from the planned shares at any time, if nothing is wrong.',
      }),
      is_mismatch: Type.Boolean({
        description:
          'Whether the probability is below 0.001: something loses users of a variant, such as calls that fail. The experiment is `INVALID` then.',
      }),
    },
    { title: 'SampleRatio', description: 'Whether users were assigned in the planned shares.' },
  ),
  results: Type.Array(VariantResult, { description: 'In the order of `variants`.' }),
  days: Type.Array(DayResult, {
    description: 'The same by `metric`, cumulative until the end of each day, oldest first.',
  }),
});

const operations = {
  createExperiment: {
    summary: 'Compare models or settings on real users',
    description: `Starts at once. Recommendation calls of the scenario with a \`user_id\` are assigned to a variant by a hash of the user and the experiment, so a user always gets the same one; calls that name a \`model_id\` are not part of it. Responses name their variant in \`experiment\`. While it runs, the models and the scenario cannot be deleted. A scenario has at most one running experiment, and an account ${limits.runningExperiments}. A project keeps its last ${limits.experimentsPerProject} experiments. Figures need the decision log: they stop to change once the first answers are older than \`DECISION_LOG_DAYS\`.`,
    request: CreateExperiment,
    response: Experiment,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED', 'EXPERIMENT_RUNNING'],
  },
  getExperiment: {
    summary: 'Get the results of an experiment',
    description:
      'With figures per variant, intervals that you may look at as often as you like, a check of the shares, the verdict and the figures by day.',
    request: Closed({ project_id: Id('project'), experiment_id: Id('experiment') }),
    response: ExperimentResults,
    errors: ['NOT_FOUND'],
  },
  listExperiments: {
    summary: "List a project's experiments",
    description: '',
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('experiments', Experiment),
    errors: ['NOT_FOUND'],
  },
  stopExperiment: {
    summary: 'Stop an experiment, and keep a variant for all users',
    description:
      'Applies to the next call. To promote a variant with a model, the caller must be allowed to call `/submit-deployment-job`, and for one with a scenario version, `/update-scenario`. Events that follow earlier responses still count.',
    request: StopExperiment,
    response: Experiment,
    errors: ['NOT_FOUND', 'EXPERIMENT_STOPPED', 'PROJECT_NOT_DEPLOYED'],
  },
} as const satisfies Record<string, OperationFields>;

const ref = { project_id: ids.project, experiment_id: ids.experiment };
const [day, hour] = [24 * 60 * minute, 60 * minute];

const running: Static<typeof Experiment> = {
  ...ref,
  name: 'new model on the home page',
  scenario: 'home',
  variants: [
    { name: 'control', share: 0.5, model_id: null, ranker_model_id: null, scenario_version: null },
    { name: 'new model', share: 0.5, model_id: ids.model, ranker_model_id: null, scenario_version: null },
  ],
  metric: 'CONVERTED',
  window_hours: 24,
  state: 'RUNNING',
  created_ts: morning,
  stopped_ts: null,
  promoted: null,
  verdict: 'UNDECIDED',
  decided_ts: null,
  winner: null,
};

const decided = {
  ...running,
  verdict: 'VARIANT_BETTER' as const,
  decided_ts: morning + 9 * day,
  winner: 'new model',
};

const noDifference = { difference: null, low: null, high: null };

const results: Static<typeof ExperimentResults> = {
  ...decided,
  measured_ts: morning + 9 * day + hour,
  message:
    '`new model` is better than `control`: 22.5% instead of 20.2% of users had a target event. The difference is between 0.1 and 4.4 percentage points.',
  sample_ratio: { p_value: 1, is_mismatch: false },
  results: [
    {
      name: 'control',
      users: 12_040,
      answers: 31_207,
      fallbacks: 0,
      measured_users: 11_480,
      clicked: { total: 4_592, rate: 0.4, ...noDifference },
      converted: { total: 2_319, rate: 0.202, ...noDifference },
      target_events: { total: 2_870, rate: 0.25, ...noDifference },
      value: { total: 41_615, rate: 3.625, ...noDifference },
      verdict: 'CONTROL',
    },
    {
      name: 'new model',
      users: 11_982,
      answers: 31_416,
      fallbacks: 3,
      measured_users: 11_395,
      clicked: { total: 5_014, rate: 0.44, difference: 0.04, low: 0.014, high: 0.066 },
      converted: { total: 2_564, rate: 0.225, difference: 0.023, low: 0.001, high: 0.044 },
      target_events: { total: 3_190, rate: 0.28, difference: 0.03, low: -0.002, high: 0.062 },
      value: { total: 46_034, rate: 4.04, difference: 0.415, low: -0.21, high: 1.04 },
      verdict: 'BETTER',
    },
  ],
  days: [
    {
      day: '2026-01-14',
      variants: [
        { name: 'control', users: 12_040, measured_users: 11_480, rate: 0.202, ...noDifference },
        {
          name: 'new model',
          users: 11_982,
          measured_users: 11_395,
          rate: 0.225,
          difference: 0.023,
          low: 0.001,
          high: 0.044,
        },
      ],
    },
  ],
};

export const experimentOperations = defineOperations('Experiments', operations, {
  createExperiment: {
    request: {
      project_id: ids.project,
      name: running.name,
      scenario: running.scenario,
      variants: [{ name: 'control' }, { name: 'new model', model_id: ids.model }],
    },
    response: running,
  },
  getExperiment: { request: ref, response: results },
  listExperiments: {
    request: { project_id: ids.project },
    response: { experiments: [decided], ...lastPage },
  },
  stopExperiment: {
    request: { ...ref, promote: 'new model' },
    response: { ...decided, state: 'STOPPED', stopped_ts: morning + 10 * day, promoted: 'new model' },
  },
});
