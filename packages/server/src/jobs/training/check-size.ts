import type { Algorithm, DataSize } from '@tastegraph/algorithms';
import { formatNumber } from '../../lib/format.ts';
import { isOutOfMemory } from '../engine/out-of-memory.ts';
import { JobError } from '../job-error.ts';

/** Throws a JobError if the algorithm can never train on this much data, however much memory the worker has. */
export function checkSize(algorithm: Algorithm, parameters: object, size: DataSize): void {
  const refusal = algorithm.refuse(size, parameters);
  if (refusal !== undefined) throw new JobError('MODEL_TOO_LARGE', refusal);
}

/** Turns an out-of-memory error into a JobError that says what to do; returns any other error unchanged. */
export function explainMemory(error: unknown, { memoryAdvice }: Algorithm, { items }: DataSize): unknown {
  if (!isOutOfMemory(error)) return error;
  return new JobError(
    'OUT_OF_MEMORY',
    `Training on ${formatNumber(items)} items does not fit into the memory of the worker. ${memoryAdvice}`,
  );
}
