import type { Algorithm } from '@tastegraph/algorithms';
import type { Response } from '@tastegraph/contract';
import { formatCount } from '../../kernel/lib/format.ts';
import type { ModelRow } from '../../projects/rows/models.ts';
import { readSecondsPerEvent } from '../rows/training-rows.ts';
import { type Survey, sizeOf } from './survey.ts';

/**
 * Scales from the project's latest model if the same algorithm trained it, otherwise from the algorithm's rates.
 */
export function estimateTraining(
  survey: Pick<Survey, 'events' | 'users' | 'userRecords' | 'items' | 'itemRecords' | 'notChecked'>,
  algorithm: Algorithm,
  parameters: object,
  latest: ModelRow | undefined,
): Response<'checkTraining'>['estimate'] {
  const { memoryBytes, ...rated } = algorithm.estimate(sizeOf(survey), parameters);
  const memory_bytes = Math.ceil(memoryBytes);
  if (!latest || latest.algorithm_type !== algorithm.type || latest.training.data.events === 0)
    return {
      seconds: Math.ceil(rated.seconds + readSecondsPerEvent * survey.events),
      memory_bytes,
      basis: `${rated.basis} Reading takes ${readSecondsPerEvent * 1e6} seconds per million events through one connection.`,
    };
  const { model_id, training, algorithm_parameters } = latest;
  const { events } = training.data;
  const past = { parameters: algorithm_parameters, events, seconds: training.seconds };
  const seconds = algorithm.secondsLike(past, parameters, survey.events);
  const basis = `Seconds: scaled from the project's latest model, ${model_id}, trained on ${formatCount(training.data.events, 'event')}. Memory: from our benchmarks.`;
  return { seconds: Math.ceil(seconds), memory_bytes, basis };
}
