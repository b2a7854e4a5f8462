import Type from 'typebox';
import { AlgorithmParameters, AlgorithmType } from '../algorithms/index.ts';
import { ids } from '../examples/bookshop.ts';
import { Closed, Id, Name, Named } from '../schemas/fields.ts';
import { HoldoutHours } from '../schemas/guard.ts';
import { defineJobType } from './job-type.ts';

export const training = defineJobType({
  data: Named(
    'TrainingJobData',
    Closed({
      algorithm_type: AlgorithmType,
      algorithm_parameters: AlgorithmParameters,
      holdout_hours: Type.Optional(HoldoutHours),
    }),
  ),
  result: Named('TrainingJobResult', Closed({ model_id: Id('model') })),
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
