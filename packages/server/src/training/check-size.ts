import type { Algorithm, DataSize } from '@tastegraph/algorithms';
import { JobError } from '../jobs/engine/job-error.ts';
import { isBeyondKernel, isOutOfMemory } from '../jobs/engine/out-of-memory.ts';
import { formatCount } from '../kernel/lib/format.ts';

/** Throws a JobError if the algorithm can never train on this much data, however much memory the worker has. */
export function checkSize(algorithm: Algorithm, parameters: object, size: DataSize): void {
  const refusal = algorithm.refuse(size, parameters);
  if (refusal !== undefined) throw new JobError('MODEL_TOO_LARGE', refusal);
}

/** Turns an out-of-memory error into a JobError that says what to do; returns any other error unchanged. */
export function explainMemory(
  error: unknown,
  algorithm: Algorithm,
  parameters: object,
  size: DataSize,
): unknown {
  if (!isOutOfMemory(error)) return error;
  const { memoryAdvice } = algorithm;
  const doubt = isBeyondKernel(error) ? algorithm.doubt(size, parameters) : undefined;
  if (doubt !== undefined) return new JobError('MODEL_TOO_LARGE', doubt);
  const data = `${formatCount(size.events, 'event')} with ${formatCount(size.items, 'item')}`;
  return new JobError(
    'OUT_OF_MEMORY',
    `Training on ${data} does not fit into the memory of the worker. ${memoryAdvice}`,
  );
}
