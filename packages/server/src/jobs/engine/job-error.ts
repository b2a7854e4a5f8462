import { ObjectStoreError } from '../../kernel/objects/error.ts';
import { isUnavailable } from '../../kernel/postgres/pool.ts';

/** A failure that no retry can fix. The message tells the developer who submitted the job what to do next. */
export class JobError extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: Error) {
    super(message, cause && { cause });
    this.name = 'JobError';
    this.code = code;
  }
}

/** Errors that the job did not cause: a retry may succeed. */
export const transientErrors = {
  WORKER_LOST: 'The worker that ran the job died, hung or lost its connection to the database.',
  STORE_FULL: 'The object store has no space left.',
  STORE_UNAVAILABLE: 'The object store could not be reached or rejected a request.',
  DATABASE_UNAVAILABLE: 'The database could not be reached or was overloaded.',
  SERVING_LOST: 'All serving processes that were testing the models stopped before they reported a result.',
  SERVING_SILENT: 'A serving process did not finish testing the models in time.',
  OVERTAKEN:
    'Another clustering of the project finished first and used the cluster IDs that this one would have assigned.',
  UNEXPECTED: 'An internal error occurred.',
} as const;

export type TransientErrorCode = keyof typeof transientErrors;

export class TransientJobError extends Error {
  override readonly name = 'TransientJobError';
  readonly code: TransientErrorCode;

  constructor(code: TransientErrorCode, cause?: unknown) {
    super(transientErrors[code], { cause });
    this.code = code;
  }
}

export function transientErrorCode(error: unknown): TransientErrorCode {
  if (error instanceof TransientJobError) return error.code;
  if (error instanceof ObjectStoreError)
    return (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC'
      ? 'STORE_FULL'
      : 'STORE_UNAVAILABLE';
  return isUnavailable(error) ? 'DATABASE_UNAVAILABLE' : 'UNEXPECTED';
}

/** Messages of V8 and our kernels for failed allocations. */
const exhausted =
  /allocation failed|Invalid (?:typed )?array (?:buffer )?length|Memory\.grow|grow (?:instance )?memory|reaches 4 GiB/i;

/** Whether a kernel needs more than it can address, however much memory there is. */
export const isBeyondKernel = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('reaches 4 GiB');

/** Of the thread's heap, an array or a kernel. A container that is killed for memory leaves no error. */
export function isOutOfMemory(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ||
    (error.name === 'RangeError' && exhausted.test(error.message))
  );
}
