import Type, { type Static } from 'typebox';
import { AlgorithmParameters, AlgorithmType } from '../algorithms/index.ts';
import { ids, lastPage, minute, morning } from '../bookshop.ts';
import {
  Closed,
  EventType,
  Id,
  Name,
  NamedObject,
  Natural,
  Nullable,
  Page,
  PageQuery,
  Ts,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';
import { Project, ProjectRef, projectExample } from './projects.ts';

const Seconds = (description: string) => Type.Number({ description });

const Estimate = NamedObject(
  'Estimate',
  {
    value: Type.Number({ description: 'The measured value.' }),
    low: Type.Number({ description: 'The lower end of the 95% confidence interval.' }),
    high: Type.Number({ description: 'The upper end of the 95% confidence interval.' }),
  },
  'A metric with its 95% confidence interval. The interval is wider with fewer users, and 0 to 1 with none.',
);

const Metrics = NamedObject(
  'Metrics',
  {
    users: Natural('The number of users whose held-out events were predicted.'),
    recall_at_20: Estimate,
    ndcg_at_20: Estimate,
    coverage: Estimate,
  },
  "Metrics on held-out events, each user with a list of 20 items. Every item was a candidate for every user, without sampling. `recall_at_20` is the share of the user's held-out target items that are in the list, averaged over users. `ndcg_at_20` (normalized discounted cumulative gain) also takes their position in the list into account. `coverage` is the share of all items that are in the list of at least one user.",
);

const compared = { model: Metrics, popularity: Metrics };

const LeftOut = NamedObject('LeftOut', {
  what: Type.String({ description: 'What was left out, such as `old events` or `item attribute "title"`.' }),
  count: Natural('How many events, items, users or values were left out, depending on `what`.'),
  why: Type.String({ description: 'Why they were left out.' }),
});

const TypeContribution = NamedObject(
  'EventTypeContribution',
  {
    weight: Type.Number({
      description:
        'The weight of an event as evidence for other items. A target event has the weight 1. Negative for a negative event type.',
    }),
    own_item_weight: Type.Number({
      description:
        'The weight of an event as evidence for its own item. 0 unless the data shows that users go on to choose an item after such an event.',
    }),
    users: Natural('The number of test users with events of this type.'),
    ndcg_at_20: Estimate,
    ndcg_at_20_without: Estimate,
  },
  'How much an event type counts for one kind of user, and the NDCG@20 of these test users with and without its events.',
);

const OtherEventType = NamedObject(
  'OtherEventType',
  {
    event_type: EventType(),
    visitors: TypeContribution,
    active_users: TypeContribution,
    halfway_target_events: Type.Number({
      minimum: 0,
      description:
        'The number of items with a target event at which a user counts half as a visitor and half as an active user. 0: only users without target events count as visitors.',
    }),
    tried_weights: Type.Array(
      Closed({
        weight: Type.Number({ description: 'The weight for active users.' }),
        ndcg_at_20: Type.Number({ description: 'The NDCG@20 of the validation users with this weight.' }),
      }),
      { description: 'The weights that were compared. Empty if you set `event_weights`.' },
    ),
  },
  'What an event type other than the target is worth: to `visitors`, the users without target events (measured on test users whose target events were hidden), and to `active_users`, those with many target events (measured on the same test users, with their target events). If both weights are 0, the type is not used.',
);

const ModelTraining = NamedObject(
  'ModelTraining',
  {
    chosen_parameters: AlgorithmParameters,
    held_out: Type.Enum(['latest', 'random'], {
      description:
        "Which of each user's target events were held out and predicted from the rest: the latest ones, or random ones if the times give no order, for example because all events have the same time.",
    }),
    metrics: Closed(
      {
        validation_users: Type.Optional(
          Natural(
            'The number of users whose held-out events were used to choose the parameters and `usage_evidence`. Absent, like `test_users`, from models of early versions, which measured the metrics on the same users; those metrics are slightly too good.',
          ),
        ),
        test_users: Type.Optional(
          Natural(
            'The number of users whose held-out events the metrics were measured on. They are not validation users: no parameter was chosen on their events. A third of the users with held-out events, at most 4,000; 0 if there are fewer than three.',
          ),
        ),
        ...compared,
        cold_users: Nullable(NamedObject('ColdUserMetrics', compared), {
          description:
            'Metrics for cold-start users: all events of these users were held out, so their recommendations are based on their attributes and on popularity. Null if there are too few users.',
        }),
        cold_items: Closed(
          {
            items: Natural('The number of items whose events were all held out.'),
            users: Type.Optional(Natural('The number of test users with a held-out event for such an item.')),
            recall_at_20: Estimate,
          },
          { description: 'Metrics for cold-start items: items whose events were all held out.' },
        ),
      },
      {
        description:
          'The metrics on held-out events: `model` for this model, and `popularity` for recommending the most popular items to everyone.',
      },
    ),
    data: Closed(
      {
        events: Natural('The number of events used.'),
        target_events: Natural('The number of those events that are of the target event type.'),
        users: Natural('The number of users with these events.'),
        items: Natural('The number of items with a record or with events.'),
        items_without_record: Natural(
          'The number of those items without a record. They are never recommended.',
        ),
        event_types: Type.Array(EventType(), { description: 'The event types used.' }),
        newest_event_ts: Type.Optional(Ts('When the newest of these events happened')),
      },
      { description: 'The data that the model was trained on.' },
    ),
    other_event_types: Type.Optional(
      Type.Array(OtherEventType, {
        description:
          'What each event type other than the target is worth, and for whom. Absent from models of algorithms that use only the target, and from models trained before this was measured.',
      }),
    ),
    left_out: Type.Array(LeftOut, { description: 'The data that was read but not used.' }),
    usage_evidence: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          "The prior strength in affinities: the model's prediction has the weight of target events with this total `event_value`. Chosen so that the validation users' held-out events are likeliest. Absent from models trained before queries were introduced.",
      }),
    ),
    seconds: Closed(
      {
        read: Seconds('The time to read the data.'),
        search: Seconds('The time to choose the parameters.'),
        fit: Seconds('The time to fit the model.'),
        write: Seconds('The time to write the files of the model.'),
      },
      { description: 'The duration of each stage, in seconds.' },
    ),
    file_bytes: Natural("The size of the model's file, in bytes."),
  },
  'How the model was trained, and how well it predicts events that were used neither to fit it nor to choose its parameters. `chosen_parameters` has every parameter, including those that you set.',
);

const Model = NamedObject('Model', {
  project_id: Id('project'),
  model_id: Id('model'),
  name: Name('model'),
  algorithm_type: AlgorithmType,
  algorithm_parameters: AlgorithmParameters,
  created_ts: Ts('When the model was created'),
  training: ModelTraining,
});

const ref = { project_id: Id('project'), model_id: Id('model') };
const ModelRef = Closed(ref);

const operations = {
  getModel: {
    summary: 'Get a model',
    description:
      '`training` describes how the model was trained: its parameters, its metrics on held-out events compared with recommending the most popular items, and what was left out.\n\nA model that is not in use is removed after 365 days (`MODEL_RETENTION_DAYS`). The call then returns `NOT_FOUND`, as after `/delete-model`. A model is in use while it is deployed, kept for a rollback, part of a running experiment, or named by a schedule or by a job that has not ended. The newest model of a project always stays.',
    request: ModelRef,
    response: Model,
    errors: ['NOT_FOUND'],
  },
  listModels: {
    summary: "List a project's models",
    description:
      'Returns the models of successful training jobs, newest first. Models that are old and not in use are removed: see `/get-model`.',
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('models', Model),
    errors: ['NOT_FOUND'],
  },
  updateModel: {
    summary: 'Rename a model',
    description: 'Changes the display name. Nothing else about a model can be changed.',
    request: Closed({ ...ref, name: Name('model') }),
    response: Model,
    errors: ['NOT_FOUND'],
  },
  deleteModel: {
    summary: 'Delete a model that is not deployed',
    description:
      'Returns the deleted model. Shut down a deployed model with `/shutdown-deployment` first. The models that `/rollback-deployment` returns to are kept too, until others are deployed.',
    request: ModelRef,
    response: Model,
    errors: ['NOT_FOUND', 'MODEL_DEPLOYED', 'MODEL_KEPT', 'EXPERIMENT_RUNNING'],
  },
  shutdownDeployment: {
    summary: "Shut down a project's deployment",
    description:
      "From the next call on, the project's recommendation calls return `PROJECT_NOT_DEPLOYED` until a model is deployed.",
    request: ProjectRef,
    response: ProjectRef,
    errors: ['NOT_FOUND'],
  },
  rollbackDeployment: {
    summary: 'Return to the models that were deployed before',
    description: `Every serving process loads the models and tries them, as for a deployment; the response comes after that, usually within a second, and has the project. The next call on every process uses them, and no call fails. If they cannot be served, the current ones stay. \`qps\` stays as it is. The last ${limits.pastDeployments} deployments with other models are kept: a second rollback returns to the one before that. A deployment whose model was deleted is skipped; that of the next rollback cannot be deleted. Webhooks are told with \`deployment.rolled_back\`.`,
    request: ProjectRef,
    response: Project,
    errors: [
      'NOT_FOUND',
      'PROJECT_NOT_DEPLOYED',
      'NO_EARLIER_DEPLOYMENT',
      'MODEL_UNFIT',
      'DEPLOYMENT_CHANGED',
    ],
  },
} as const satisfies Record<string, OperationFields>;

const interval = (value: number, margin: number) => ({ value, low: value - margin, high: value + margin });
const modelRef = { project_id: ids.project, model_id: ids.model };

const model: Static<typeof Model> = {
  ...modelRef,
  name: 'Monday',
  algorithm_type: 'G1',
  algorithm_parameters: {},
  created_ts: morning + minute,
  training: {
    chosen_parameters: {
      neighbors: 200,
      regularization: 20,
      recency: 0.5,
      event_weights: { buy: 1, view: 0.2 },
    },
    held_out: 'latest',
    metrics: {
      validation_users: 2960,
      test_users: 1480,
      model: {
        users: 1480,
        recall_at_20: interval(0.6, 0.021),
        ndcg_at_20: interval(0.41, 0.018),
        coverage: interval(0.92, 0),
      },
      popularity: {
        users: 1480,
        recall_at_20: interval(0.14, 0.015),
        ndcg_at_20: interval(0.075, 0.009),
        coverage: interval(0.03, 0),
      },
      cold_users: null,
      cold_items: { items: 3, recall_at_20: interval(0.25, 0.25) },
    },
    data: {
      events: 37_595,
      target_events: 8120,
      users: 4870,
      items: 1200,
      items_without_record: 4,
      event_types: ['buy', 'view'],
      newest_event_ts: morning - minute,
    },
    left_out: [{ what: 'items without a record', count: 4, why: 'they can never be recommended' }],
    usage_evidence: 5,
    seconds: { read: 0.4, search: 3.1, fit: 0.5, write: 0.1 },
    file_bytes: 2_411_724,
  },
};

export const modelOperations = defineOperations('Models', operations, {
  getModel: { request: modelRef, response: model },
  listModels: { request: { project_id: ids.project }, response: { models: [model], ...lastPage } },
  updateModel: {
    request: { ...modelRef, name: 'Monday, with views' },
    response: { ...model, name: 'Monday, with views' },
  },
  deleteModel: { request: modelRef, response: model },
  shutdownDeployment: { request: { project_id: ids.project }, response: { project_id: ids.project } },
  rollbackDeployment: { request: { project_id: ids.project }, response: projectExample },
});
