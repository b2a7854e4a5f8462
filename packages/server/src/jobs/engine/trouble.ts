import { ObjectStoreError } from '../../storage/objects/error.ts';
import { isUnavailable } from '../../storage/postgres/pool.ts';

/** What may go wrong with an attempt through no fault of its job's: another attempt may do better. */
export const troubles = {
  WORKER_LOST: 'The worker that ran the job died, hung or lost its database.',
  STORE_FULL: 'The object store has no space left.',
  STORE_UNAVAILABLE: 'The object store could not be reached, or refused what was asked of it.',
  DATABASE_UNAVAILABLE: 'The database could not be reached or was too busy.',
  SERVING_LOST: 'The serving processes that tried the models died before they could say how it went.',
  SERVING_SILENT: 'A serving process did not say in time whether it can serve the models.',
  OVERTAKEN: 'Another clustering of the project ended while this one ran, and took the ids of its groups.',
  UNEXPECTED: 'Something went wrong on our side.',
} as const;

export type TroubleCode = keyof typeof troubles;

export class Trouble extends Error {
  override readonly name = 'Trouble';
  readonly code: TroubleCode;

  constructor(code: TroubleCode, cause?: unknown) {
    super(troubles[code], { cause });
    this.code = code;
  }
}

export function troubleCode(error: unknown): TroubleCode {
  if (error instanceof Trouble) return error.code;
  if (error instanceof ObjectStoreError)
    return (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC'
      ? 'STORE_FULL'
      : 'STORE_UNAVAILABLE';
  return isUnavailable(error) ? 'DATABASE_UNAVAILABLE' : 'UNEXPECTED';
}
