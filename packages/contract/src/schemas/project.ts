import Type from 'typebox';
import { Closed, EventType, Id, MapOf, Name, Named, Nullable, Ts } from './fields.ts';

const ProjectType = Type.Enum(['RECOMMEND_ITEMS_TO_USER']);
export const AlgorithmType = Type.Enum(['G1']);
export const AlgorithmParameters = MapOf(Type.Unknown(), {
  description: 'An empty object lets the service choose all parameters.',
});

const settings = {
  name: Name,
  project_type: ProjectType,
  user_dataset_id: Id('userDataset'),
  item_dataset_id: Id('itemDataset'),
  event_dataset_id: Id('eventDataset'),
  target_event_type: EventType,
};

const Deployment = Named(
  'Deployment',
  Closed({
    generator_model_id: Id('model'),
    ranker_model_id: Nullable(Id('model')),
    qps: Type.Integer({ minimum: 1 }),
    deployed_ts: Ts,
  }),
);

export const Project = Named(
  'Project',
  Closed({
    project_id: Id('project'),
    ...settings,
    serving_uri: Type.String({ description: "Address of the project's recommendation service." }),
    deployment: Nullable(Deployment),
  }),
);

export const CreateProject = Closed(settings);
export const ProjectRef = Closed({ project_id: Id('project') });
export const UpdateProject = Closed({ project_id: Id('project'), name: Name });

export const Algorithm = Named(
  'Algorithm',
  Closed({
    project_id: Id('project'),
    algorithm_id: Id('algorithm'),
    name: Name,
    algorithm_type: AlgorithmType,
    algorithm_parameters: AlgorithmParameters,
  }),
);

export const CreateAlgorithm = Closed({
  project_id: Id('project'),
  name: Name,
  algorithm_type: AlgorithmType,
  algorithm_parameters: AlgorithmParameters,
});

const algorithmRef = { project_id: Id('project'), algorithm_id: Id('algorithm') };
export const AlgorithmRef = Closed(algorithmRef);
export const UpdateAlgorithm = Closed({
  ...algorithmRef,
  name: Type.Optional(Name),
  algorithm_parameters: Type.Optional(AlgorithmParameters),
});
