import { SourceError } from '@tastegraph/files';
import {
  ApiError,
  AuthError,
  ConnectionError,
  ImportError,
  JobCanceledError,
  JobFailedError,
  NotFoundError,
  TimeoutError,
} from '@tastegraph/sdk';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** An error as the command reports it: a message, what to do next, and an exit code. */
export class CliError extends Error {
  readonly next: string;
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly requestId: string | undefined;

  constructor(
    message: string,
    next: string,
    exitCode: ExitCode = exitCodes.failed,
    { code = 'FAILED', requestId }: { code?: string; requestId?: string | undefined } = {},
  ) {
    super(message);
    this.next = next;
    this.exitCode = exitCode;
    this.code = code;
    this.requestId = requestId;
  }
}

/** The arguments or options are wrong. */
export function usageError(message: string, next: string): CliError {
  return new CliError(message, next, exitCodes.usage, { code: 'USAGE' });
}

/** What a name or ID stands for does not exist. */
export function notFoundError(message: string, next: string): CliError {
  return new CliError(message, next, exitCodes.notFound, { code: 'NOT_FOUND' });
}

/** The process received SIGINT or SIGTERM. */
export class InterruptedError extends CliError {
  constructor(signal: 'SIGINT' | 'SIGTERM', next = 'Run the same command again.') {
    const exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
    super('Interrupted.', next, exitCode, { code: 'INTERRUPTED' });
  }
}

/** Next steps for a terminal user; those of the SDK refer to its own options and methods. */
const nextSteps: Readonly<Record<string, string>> = {
  INVALID_REQUEST: 'Correct the fields in the message and run the command again. See --help for the options.',
  UNAUTHENTICATED:
    'Run `tastegraph login`, or check TASTEGRAPH_API_KEY and TASTEGRAPH_API_SECRET. The key may have been revoked.',
  SCOPE_MISSING: 'Run `tastegraph login` with an API key that allows this operation.',
  ROLE_MISSING: 'Run `tastegraph login` with an API key of the account.',
  CSRF_REJECTED: 'Run `tastegraph login`: the command line uses an API key, not a session of the console.',
  LAST_OWNER: 'Make somebody else an owner of the account first.',
  QUOTA_EXCEEDED:
    'Delete what you no longer need, wait for jobs to end, or ask the operator of the service to raise the cap.',
  NOT_FOUND:
    'List what exists: `tastegraph project list`, `tastegraph datasets`, `tastegraph models` or `tastegraph jobs`.',
  MODEL_DEPLOYED: 'Deploy another model or run `tastegraph undeploy`, then delete this one.',
  SCENARIO_CHANGED: 'Read the current version: `tastegraph scenarios show NAME`.',
  SCENARIO_EXISTS: 'Change it: `tastegraph scenarios update NAME FILE`, or choose another name.',
  DATASET_IN_USE: 'First delete the projects that use it: `tastegraph project delete ID`.',
  PROJECT_NOT_DEPLOYED: 'Deploy a model: `tastegraph deploy --model latest`.',
  JOB_NOT_CANCELABLE: 'The job has already finished. See its outcome: `tastegraph jobs show ID`.',
  QPS_EXCEEDED: 'Send fewer requests per second, or deploy with a higher --qps.',
  TOO_MANY_REQUESTS: 'Wait a minute and try again.',
  INTERNAL: 'Try again. If the problem persists, report the request ID.',
  UNAVAILABLE: 'Try again in a minute.',
  UNRECOGNIZED:
    'Check the URL of the service (`tastegraph login` or TASTEGRAPH_URL) and any proxy in front of it.',
};

/** Converts any error. The result never contains a key, secret or token. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof ImportError) return toCliError(error.cause);
  if (error instanceof SourceError) return fromSourceError(error);
  if (error instanceof JobFailedError || error instanceof JobCanceledError) return fromJobError(error);
  if (error instanceof ApiError) return fromApiError(error);
  if (error instanceof ConnectionError) return fromConnectionError(error);
  if (error instanceof TimeoutError)
    return new CliError(error.message, 'Try again.', exitCodes.unreachable, { code: 'TIMEOUT' });
  if (isFileError(error)) return fromFileError(error);
  const message = error instanceof Error ? error.message : String(error);
  return new CliError(message, 'Run the command with --help to see its options.');
}

function fromSourceError({ message, next, code }: SourceError): CliError {
  return new CliError(message, next, code === 'USAGE' ? exitCodes.usage : exitCodes.failed, { code });
}

function fromApiError(error: ApiError): CliError {
  const { code, errors, requestId, status } = error;
  // After the first sentence comes what a caller of the API does next.
  const detail = code === 'NOT_FOUND' ? error.detail.replace(/(?<=\.) .*/s, '') : error.detail;
  const places = errors
    .filter(({ message }) => !detail.includes(message))
    .map(({ path, message }) => `${path}: ${message}`)
    .join('; ');
  const message = [detail, places && `(${places})`].filter(Boolean).join(' ');
  const isFilter = code === 'INVALID_REQUEST' && errors.some(({ path }) => path === 'filter_query');
  const next = isFilter
    ? `Correct --filter. A filter looks like 'item.price < 20.0 && "Comedy" in item.genres'.`
    : (nextSteps[code] ?? 'Try again. If the problem persists, report the request ID.');
  return new CliError(message, next, apiExitCode(error, status), { code, requestId });
}

function apiExitCode(error: ApiError, status: number): ExitCode {
  if (error instanceof AuthError) return exitCodes.auth;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  return status === 503 || status === 429 ? exitCodes.unreachable : exitCodes.failed;
}

function fromConnectionError({ origin, cause }: ConnectionError): CliError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = reason instanceof Error && 'code' in reason ? ` (${String(reason.code)})` : '';
  return new CliError(
    `No response from ${origin}${code}.`,
    'Check that the service is running at that URL. To use another URL, run `tastegraph login` or set TASTEGRAPH_URL.',
    exitCodes.unreachable,
    { code: 'UNREACHABLE' },
  );
}

function fromJobError({ code, detail, job }: JobFailedError | JobCanceledError): CliError {
  const outcome = job.job_status === 'CANCELED' ? 'was canceled' : 'failed';
  const message = `Job ${job.job_id} (${job.job_type.toLowerCase()}) ${outcome}: ${detail}`;
  return new CliError(message, 'Fix the cause and run the command again.', exitCodes.failed, { code });
}

export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function fromFileError(error: NodeJS.ErrnoException): CliError {
  const code = error.code ?? 'FILE';
  if (code === 'ENOENT')
    return new CliError(
      `File not found: ${error.path ?? 'unknown path'}.`,
      'Check the path.',
      exitCodes.notFound,
      { code },
    );
  return new CliError(error.message, 'Check the file and its permissions.', exitCodes.failed, { code });
}
