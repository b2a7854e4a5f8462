import Type from 'typebox';
import { limits } from '../limits.ts';
import { Closed, EventType, Id, MapOf, Name, Named, Nullable, Ts } from './fields.ts';

const ProjectType = Named('ProjectType', Type.Enum(['RECOMMEND_ITEMS_TO_USER']));
export const AlgorithmType = Named('AlgorithmType', Type.Enum(['G1']));

/** The parameters of G1; each that is absent is chosen by the service on validation data. */
export const AlgorithmParameters = Named(
  'G1Parameters',
  Closed(
    {
      neighbors: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, description: 'K: targets kept for each source.' }),
      ),
      regularization: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1e9, description: 'lambda: the same for every source.' }),
      ),
      popularity_regularization: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1e6,
          description: 'c: in proportion to how often a source occurs.',
        }),
      ),
      activity_exponent: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 2,
          description: 'beta: how much less a very active user counts.',
        }),
      ),
      popularity_scaling: Type.Optional(
        Type.Number({ minimum: -2, maximum: 2, description: 'a: how much rare targets are raised.' }),
      ),
      recency: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 10,
          description: 'p: how much less old events count in a score.',
        }),
      ),
      taste_weight: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1e6, description: 'g: taste against what follows what.' }),
      ),
      event_weights: Type.Optional(
        MapOf(Type.Number({ minimum: 0, maximum: 1e6 }), {
          maxProperties: limits.attributeNames,
          propertyNames: EventType,
          description: 'Weight by event type; the target is 1 unless named.',
        }),
      ),
      attribute_weight: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1e6, description: 'gamma: how much item attributes count.' }),
      ),
    },
    { description: 'An empty object lets the service choose all parameters.' },
  ),
);

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
