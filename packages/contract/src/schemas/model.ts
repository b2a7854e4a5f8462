import { Closed, Id, Name, Named, Ts } from './fields.ts';
import { AlgorithmParameters, AlgorithmType } from './project.ts';

export const Model = Named(
  'Model',
  Closed({
    project_id: Id('project'),
    model_id: Id('model'),
    name: Name,
    algorithm_type: AlgorithmType,
    algorithm_parameters: AlgorithmParameters,
    created_ts: Ts,
  }),
);

const ref = { project_id: Id('project'), model_id: Id('model') };
export const ModelRef = Closed(ref);
export const UpdateModel = Closed({ ...ref, name: Name });
