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

/** What went wrong, what to do next, and what the command ends with. */
export class Problem extends Error {
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

/** The command line cannot be carried out as it was given. */
export function usageProblem(message: string, next: string): Problem {
  return new Problem(message, next, exitCodes.usage, { code: 'USAGE' });
}

/** A signal asked for the end. */
export class Interrupted extends Problem {
  constructor(signal: 'SIGINT' | 'SIGTERM', next = 'Give the same command again.') {
    const exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
    super('Interrupted.', next, exitCode, { code: 'INTERRUPTED' });
  }
}

/** What somebody at a terminal does next; the SDK's own advice speaks of its options and methods. */
const nextSteps: Readonly<Record<string, string>> = {
  INVALID_REQUEST: 'Mend what is named and run the command again; --help shows what it takes.',
  UNAUTHENTICATED:
    'Run `tastegraph login` with a key and its own secret, or check TASTEGRAPH_API_KEY and TASTEGRAPH_API_SECRET. The key may also be revoked.',
  SCOPE_MISSING: 'Log in with a key that is allowed this operation: `tastegraph login`.',
  QUOTA_EXCEEDED: 'Free what the plan counts (`tastegraph datasets`), or have the plan raised.',
  NOT_FOUND:
    'See what there is: `tastegraph project list`, `tastegraph datasets`, `tastegraph models`, `tastegraph jobs`.',
  MODEL_DEPLOYED: 'Deploy another model over it, or run `tastegraph undeploy`, then delete it.',
  DATASET_IN_USE: 'Delete the projects that refer to it first: `tastegraph project delete ID`.',
  PROJECT_NOT_DEPLOYED: 'Deploy a model: `tastegraph deploy --model latest`.',
  PROJECT_REQUIRED: 'Name the project with --project; `tastegraph project list` shows them.',
  JOB_NOT_CANCELABLE: 'Nothing to do; `tastegraph jobs show ID` shows how it ended.',
  QPS_EXCEEDED: 'Ask less often, or deploy with a larger --qps.',
  TOO_MANY_REQUESTS: 'Wait a minute and try again.',
  INTERNAL: 'Try again; if it stays, report the request id.',
  UNAVAILABLE: 'Try again in a minute.',
  UNRECOGNIZED:
    'Check the address: run `tastegraph login`, or look at TASTEGRAPH_URL and what stands before the service.',
};

/** Any error as what to tell: nothing of it holds key, secret or token. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ImportError) return problemOf(error.cause);
  if (error instanceof JobFailedError || error instanceof JobCanceledError) return jobProblem(error);
  if (error instanceof ApiError) return apiProblem(error);
  if (error instanceof ConnectionError) return unreachable(error);
  if (error instanceof TimeoutError)
    return new Problem(error.message, 'Try again.', exitCodes.unreachable, { code: 'TIMEOUT' });
  if (isFileError(error)) return fileProblem(error);
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(message, 'Run the command with --help to see what it takes.');
}

function apiProblem(error: ApiError): Problem {
  const { code, detail, errors, requestId, status } = error;
  const places = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const message = [detail, places && `(${places})`].filter(Boolean).join(' ');
  const next = nextSteps[code] ?? 'Try again; if it stays, report the request id.';
  return new Problem(message, next, apiExitCode(error, status), { code, requestId });
}

function apiExitCode(error: ApiError, status: number): ExitCode {
  if (error instanceof AuthError) return exitCodes.auth;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  return status === 503 || status === 429 ? exitCodes.unreachable : exitCodes.failed;
}

function unreachable({ message, cause }: ConnectionError): Problem {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = reason instanceof Error && 'code' in reason ? ` (${String(reason.code)})` : '';
  const [, origin = 'the service'] = /no answer from (\S+?)\.?(?: |$)/.exec(message) ?? [];
  return new Problem(
    `No answer from ${origin}${code}.`,
    'Check that the service runs at that address. Another address: `tastegraph login`, or TASTEGRAPH_URL.',
    exitCodes.unreachable,
    { code: 'UNREACHABLE' },
  );
}

function jobProblem({ code, detail, job }: JobFailedError | JobCanceledError): Problem {
  const what = `The ${job.job_type.toLowerCase()} job ${job.job_id} did not succeed: ${detail}`;
  return new Problem(what, 'Mend that, and run the command again.', exitCodes.failed, { code });
}

export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function fileProblem(error: NodeJS.ErrnoException): Problem {
  const code = error.code ?? 'FILE';
  if (code === 'ENOENT')
    return new Problem(`There is no ${error.path ?? 'such file'}.`, 'Check the name.', exitCodes.notFound, {
      code,
    });
  return new Problem(error.message, 'Check the file and its permissions.', exitCodes.failed, { code });
}
