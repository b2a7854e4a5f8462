import Type from 'typebox';
import { AlgorithmParameters, AlgorithmType } from '../algorithms/index.ts';
import { limits } from '../limits.ts';
import { AttributeName, Closed, EventType, Id, Name, Named, Nullable, Ts } from './fields.ts';

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
  description:
    'How long after a response an event counts as its result, in hours. It applies to events without `recommendation_id`; those with one belong to that response.',
};

const Deployment = Named(
  'Deployment',
  Closed({
    generator_model_id: Id('model', 'The ID of the model that generates the recommendations'),
    ranker_model_id: Nullable(Id('model'), {
      description: 'The ID of the model that re-ranks the recommendations. Null if there is none.',
    }),
    qps: Type.Integer({
      minimum: 1,
      description: 'The number of recommendation calls allowed per second.',
    }),
    deployed_ts: Ts('When the model was deployed'),
    previous_model_id: Nullable(Id('model'), {
      description:
        'The ID of the generator to which `/rollback-deployment` returns. Null if no other models were deployed before.',
    }),
  }),
);

export const Project = Named(
  'Project',
  Closed({
    project_id: Id('project'),
    ...settings,
    negative_event_types: NegativeEventTypes,
    attribution_hours: Type.Integer(attributionHours),
    ...shownFields,
    serving_uri: Type.String({
      description: "The URL of the project's recommendation service. It never changes.",
    }),
    deployment: Nullable(Deployment, {
      description: 'The current deployment. Null if no model is deployed.',
    }),
    default: Type.Boolean({
      description: 'Whether this project serves recommendation calls that do not specify a project.',
    }),
  }),
);

export const CreateProject = Closed({
  ...settings,
  negative_event_types: Type.Optional(NegativeEventTypes),
  attribution_hours: Type.Optional(Type.Integer({ ...attributionHours, default: 24 })),
  title_attribute: Type.Optional(
    Nullable(AttributeName, { default: null, ...shownAttributes.title_attribute }),
  ),
  picture_attribute: Type.Optional(
    Nullable(AttributeName, { default: null, ...shownAttributes.picture_attribute }),
  ),
});
export const ProjectRef = Closed({ project_id: Id('project') });
export const UpdateProject = Closed({
  project_id: Id('project'),
  name: Type.Optional(Name('project')),
  negative_event_types: Type.Optional(NegativeEventTypes),
  // Without a default: an absent field keeps its value.
  attribution_hours: Type.Optional(Type.Integer(attributionHours)),
  ...changedShownFields,
  default: Type.Optional(
    Type.Boolean({
      description:
        'Set to true to make this the default project of the account, replacing the previous one. Until you set one, the default is whichever of the currently deployed projects was deployed first.',
    }),
  ),
});

export const Algorithm = Named(
  'Algorithm',
  Closed({
    project_id: Id('project'),
    algorithm_id: Id('algorithm'),
    name: Name('algorithm'),
    algorithm_type: AlgorithmType,
    algorithm_parameters: AlgorithmParameters,
  }),
);

export const CreateAlgorithm = Closed({
  project_id: Id('project'),
  name: Name('algorithm'),
  algorithm_type: AlgorithmType,
  algorithm_parameters: AlgorithmParameters,
});

const algorithmRef = { project_id: Id('project'), algorithm_id: Id('algorithm') };
export const AlgorithmRef = Closed(algorithmRef);
export const UpdateAlgorithm = Closed({
  ...algorithmRef,
  name: Type.Optional(Name('algorithm')),
  algorithm_parameters: Type.Optional(AlgorithmParameters),
});
