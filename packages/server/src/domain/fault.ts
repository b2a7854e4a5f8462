import type { ErrorCode } from '@tastegraph/contract';
import { Overdue } from '../lib/within.ts';
import { ObjectStoreError } from '../storage/objects/error.ts';
import { isUnavailable } from '../storage/postgres/pool.ts';

interface FaultOptions {
  /** Places of bad input. */
  readonly errors?: readonly { path: string; message: string }[];
  readonly retryAfterSeconds?: number;
  /** What really happened: for the log, never for the caller. */
  readonly cause?: unknown;
}

/** An error meant for the caller: a code of the contract and a message in words. The HTTP status is not known here. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: ErrorCode;
  readonly errors: readonly { path: string; message: string }[];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { errors = [], retryAfterSeconds, cause }: FaultOptions = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** One wording for everything that is not there, so that another account's things look the same. */
export function notFound(what: string): Fault {
  return new Fault('NOT_FOUND', `There is no such ${what} in this account.`);
}

/** Whatever was thrown, as the caller may see it. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (isUnavailable(error) || error instanceof Overdue) return unavailable('database', error);
  if (error instanceof ObjectStoreError && error.kind === 'unavailable')
    return unavailable('object store', error);
  return new Fault(
    'INTERNAL',
    'Something went wrong on our side. Try again; if it stays, report the request_id.',
    {
      cause: error,
    },
  );
}

function unavailable(what: string, cause: unknown): Fault {
  return new Fault('UNAVAILABLE', `The ${what} cannot be reached or is too busy. Try again shortly.`, {
    // Long enough for a failover's first attempt, short enough for a hiccup.
    retryAfterSeconds: 1,
    cause,
  });
}
