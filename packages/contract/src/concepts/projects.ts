import Type from 'typebox';
import { AlgorithmParameters, AlgorithmType } from '../algorithms/index.ts';
import { ids, lastPage, minute, morning, servingUri } from '../bookshop.ts';
import {
  AttributeName,
  Closed,
  EventType,
  Id,
  Name,
  Named,
  NamedObject,
  Nullable,
  Page,
  PageQuery,
  Ts,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';

const ProjectType = Named(
  'ProjectType',
  Type.Enum(['RECOMMEND_ITEMS_TO_USER'], { description: 'What the project does.' }),
);
const settings = {
  name: Name('project'),
  project_type: ProjectType,
  user_dataset_id: Id('userDataset'),
  item_dataset_id: Id('itemDataset'),
  event_dataset_id: Id('eventDataset'),
  target_event_type: EventType('The event type that the project predicts, such as `buy`.'),
};

const NegativeEventTypes = Type.Array(EventType(), {
  maxItems: limits.negativeEventTypes,
  description:
    'The event types by which users reject an item, such as `dislike`. The target event type cannot be one of them. If the newest event of a user with an item is negative, the item is not recommended to this user, and it lowers the scores of similar items if the data shows that this helps. A change takes effect with the next training job.',
});

/** How people see items. The service itself does not read these attributes. */
const shownAttributes = {
  title_attribute: {
    description:
      'The item attribute whose value is the title of an item, such as `title`. The console and the command line show it instead of the ID. Null if the project names none.',
  },
  picture_attribute: {
    description:
      'The item attribute whose value is the address (`https:`) of a picture of the item, such as `image_url`. The console shows the picture. Null if the project names none.',
  },
};
const shownFields = {
  title_attribute: Nullable(AttributeName, shownAttributes.title_attribute),
  picture_attribute: Nullable(AttributeName, shownAttributes.picture_attribute),
};
// Without a default: an absent name stays as it is, and null removes it.
const changedShownFields = {
  title_attribute: Type.Optional(
    Nullable(AttributeName, {
      description: `${shownAttributes.title_attribute.description} If absent, it stays as it is.`,
    }),
  ),
  picture_attribute: Type.Optional(
    Nullable(AttributeName, {
      description: `${shownAttributes.picture_attribute.description} If absent, it stays as it is.`,
    }),
  ),
};

const attributionHours = {
  minimum: 1,
  maximum: 168,
  description: 'How long after a response an event counts as its result, in hours.',
};

const eventValueMax = {
  description:
    'The most that the `event_value` of one event counts in `/get-outcomes` and in experiments, so that a single event cannot decide them. Null for no limit. Training has limits of its own.',
};
const EventValue = Type.Number({ minimum: 0 });

const Deployment = NamedObject('Deployment', {
  generator_model_id: Id('model', 'The ID of the model that generates the recommendations'),
  ranker_model_id: Nullable(Id('model'), {
    description: 'The ID of the model that re-ranks the recommendations. Null if there is none.',
  }),
  qps: Type.Integer({ minimum: 1, description: 'The number of recommendation calls allowed per second.' }),
  deployed_ts: Ts('When the model was deployed'),
  previous_model_id: Nullable(Id('model'), {
    description:
      'The ID of the generator to which `/rollback-deployment` returns. Null if no other models were deployed before.',
  }),
});

export const Project = NamedObject('Project', {
  project_id: Id('project'),
  ...settings,
  negative_event_types: NegativeEventTypes,
  attribution_hours: Type.Integer(attributionHours),
  event_value_max: Nullable(EventValue, eventValueMax),
  ...shownFields,
  serving_uri: Type.String({
    description: "The URL of the project's recommendation service. It never changes.",
  }),
  deployment: Nullable(Deployment, { description: 'The current deployment. Null if no model is deployed.' }),
  default: Type.Boolean({
    description: 'Whether this project serves recommendation calls that do not specify a project.',
  }),
});

const CreateProject = Closed({
  ...settings,
  negative_event_types: Type.Optional(NegativeEventTypes),
  attribution_hours: Type.Optional(Type.Integer({ ...attributionHours, default: 24 })),
  event_value_max: Type.Optional(Nullable(EventValue, { default: null, ...eventValueMax })),
  title_attribute: Type.Optional(
    Nullable(AttributeName, { default: null, ...shownAttributes.title_attribute }),
  ),
  picture_attribute: Type.Optional(
    Nullable(AttributeName, { default: null, ...shownAttributes.picture_attribute }),
  ),
});
export const ProjectRef = Closed({ project_id: Id('project') });
const UpdateProject = Closed({
  project_id: Id('project'),
  name: Type.Optional(Name('project')),
  negative_event_types: Type.Optional(NegativeEventTypes),
  // Without a default: an absent field keeps its value.
  attribution_hours: Type.Optional(Type.Integer(attributionHours)),
  event_value_max: Type.Optional(
    Nullable(EventValue, { description: `${eventValueMax.description} If absent, it stays as it is.` }),
  ),
  ...changedShownFields,
  default: Type.Optional(
    Type.Boolean({
      description:
        'Set to true to make this the default project of the account, replacing the previous one. Until you set one, the default is the first project that was deployed. It stays the default while it is shut down.',
    }),
  ),
});

const Algorithm = NamedObject('Algorithm', {
  project_id: Id('project'),
  algorithm_id: Id('algorithm'),
  name: Name('algorithm'),
  algorithm_type: AlgorithmType,
  algorithm_parameters: AlgorithmParameters,
});

const CreateAlgorithm = Closed({
  project_id: Id('project'),
  name: Name('algorithm'),
  algorithm_type: AlgorithmType,
  algorithm_parameters: Type.Optional(AlgorithmParameters),
});

const algorithmRef = { project_id: Id('project'), algorithm_id: Id('algorithm') };
const AlgorithmRef = Closed(algorithmRef);
const UpdateAlgorithm = Closed({
  ...algorithmRef,
  name: Type.Optional(Name('algorithm')),
  algorithm_parameters: Type.Optional(AlgorithmParameters),
});

const projects = {
  createProject: {
    summary: 'Create a project from three datasets and a target event type',
    description:
      'The `serving_uri` never changes, and serves recommendations once a model is deployed. You cannot change the datasets or the target event type later; create another project with the same datasets instead.',
    request: CreateProject,
    response: Project,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  getProject: {
    summary: 'Get a project',
    description: 'Returns the project with its current deployment.',
    request: ProjectRef,
    response: Project,
    errors: ['NOT_FOUND'],
  },
  listProjects: {
    summary: "List the account's projects",
    description:
      'Returns the projects, newest first. Without `page_size`, the response contains all of them, up to 10,000.',
    request: Closed(PageQuery),
    response: Page('projects', Project),
    errors: [],
  },
  updateProject: {
    summary: 'Rename a project, change how it treats events and shows items, or make it the default project',
    description:
      'You can send the whole project as you read it, but only `name`, `negative_event_types`, `title_attribute`, `picture_attribute` and `default` may differ.',
    request: UpdateProject,
    response: Project,
    errors: ['NOT_FOUND'],
  },
  deleteProject: {
    summary: 'Delete a project and its algorithms, jobs, models and deployment',
    description:
      'Returns the deleted project. Its datasets stay. Recommendations stop when the call returns; the files of models and results are removed in the background.',
    request: ProjectRef,
    response: Project,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

const algorithms = {
  createAlgorithm: {
    summary: 'Create an algorithm in a project',
    description:
      'An algorithm is a configuration for training jobs. With `{}` as `algorithm_parameters`, each training job chooses all parameters for your data. Parameters that you set are fixed.',
    request: CreateAlgorithm,
    response: Algorithm,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED'],
  },
  getAlgorithm: {
    summary: 'Get an algorithm',
    description: 'Returns the configuration that new training jobs use.',
    request: AlgorithmRef,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
  listAlgorithms: {
    summary: "List a project's algorithms",
    description:
      'Returns the algorithms, newest first. Without `page_size`, the response contains all of them, up to 10,000.',
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('algorithms', Algorithm),
    errors: ['NOT_FOUND'],
  },
  updateAlgorithm: {
    summary: 'Change the name or parameters of an algorithm',
    description: 'Training jobs that were already submitted keep their parameters.',
    request: UpdateAlgorithm,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
  deleteAlgorithm: {
    summary: 'Delete an algorithm',
    description: 'Returns the deleted algorithm. Its models and the jobs that were already submitted stay.',
    request: AlgorithmRef,
    response: Algorithm,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

const bookshop = {
  name: 'Bookshop',
  project_type: 'RECOMMEND_ITEMS_TO_USER',
  user_dataset_id: ids.users,
  item_dataset_id: ids.items,
  event_dataset_id: ids.events,
  target_event_type: 'buy',
} as const;
const created = {
  project_id: ids.project,
  ...bookshop,
  negative_event_types: ['dislike'],
  attribution_hours: 24,
  event_value_max: null,
  title_attribute: 'title',
  picture_attribute: null,
  serving_uri: servingUri,
  deployment: null,
  default: false,
};
export const projectExample = {
  ...created,
  default: true,
  deployment: {
    generator_model_id: ids.model,
    ranker_model_id: null,
    qps: 50,
    deployed_ts: morning + 12 * minute,
    previous_model_id: null,
  },
};
const projectRef = { project_id: ids.project };

const algorithm = {
  project_id: ids.project,
  algorithm_id: ids.algorithm,
  name: 'All parameters chosen',
  algorithm_type: 'G1',
  algorithm_parameters: {},
} as const;
const g1Ref = { project_id: ids.project, algorithm_id: ids.algorithm };

export const projectOperations = defineOperations('Projects', projects, {
  createProject: {
    request: { ...bookshop, negative_event_types: ['dislike'], title_attribute: 'title' },
    response: created,
  },
  getProject: { request: projectRef, response: projectExample },
  listProjects: { request: {}, response: { projects: [projectExample], ...lastPage } },
  updateProject: {
    request: { project_id: ids.project, name: 'Bookshop, Europe' },
    response: { ...projectExample, name: 'Bookshop, Europe' },
  },
  deleteProject: { request: projectRef, response: projectExample },
});

export const algorithmOperations = defineOperations('Algorithms', algorithms, {
  createAlgorithm: {
    request: {
      project_id: ids.project,
      name: 'All parameters chosen',
      algorithm_type: 'G1',
      algorithm_parameters: {},
    },
    response: algorithm,
  },
  getAlgorithm: { request: g1Ref, response: algorithm },
  listAlgorithms: { request: projectRef, response: { algorithms: [algorithm], ...lastPage } },
  updateAlgorithm: {
    request: { ...g1Ref, algorithm_parameters: { neighbors: 200, event_weights: { view: 0.2 } } },
    response: { ...algorithm, algorithm_parameters: { neighbors: 200, event_weights: { view: 0.2 } } },
  },
  deleteAlgorithm: { request: g1Ref, response: algorithm },
});
