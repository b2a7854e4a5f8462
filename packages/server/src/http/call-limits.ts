import { type OperationName, operations } from '@tastegraph/contract';
import { createLimiter, type Limiter, type RefusalReason } from '../kernel/lib/limiter.ts';
import { ApiError } from './api-error.ts';

/** Calls of the other classes cost much more than usual calls, so fewer of them run concurrently. */
type CallClass = 'usual' | 'survey' | 'walk' | 'list';

export interface CallLimits {
  /** Runs a call of the account when there is room. Recommendation calls have their own limits and run at once. */
  run<T>(
    operation: OperationName,
    accountId: string,
    work: () => Promise<T>,
    onHangUp: (drop: () => void) => void,
  ): Promise<T>;
}

export interface CallLimitsOptions {
  /** Database connections that calls may use concurrently. */
  readonly connections: number;
  readonly onQueued: (callClass: CallClass, waitedMs: number) => void;
  readonly onRefused: (callClass: CallClass, reason: RefusalReason) => void;
}

/** A survey counts events or reads a file, a walk deletes any number of events, a list may be long. Others touch few rows. */
const heavyOperations: Partial<Record<OperationName, 'survey' | 'walk'>> = {
  checkTraining: 'survey',
  getRecommendation: 'survey',
  deleteDatasetUserEvents: 'walk',
  deleteDatasetEventsBeforeTs: 'walk',
};

function classOf(name: OperationName): CallClass | 'unlimited' {
  // Serving processes have limits of their own.
  if (operations[name].concept === 'Recommendation' || name === 'findItems') return 'unlimited';
  return heavyOperations[name] ?? (name.startsWith('list') ? 'list' : 'usual');
}

/** Further calls are refused at once. Enough for a client with 64 connections. */
const maxWaitingPerAccount = 64;
/** Over all accounts. Each waiting call keeps its parsed body in memory. */
const maxWaiting = 512;
/** Shorter than the timeouts of clients and proxies, so that they receive our response. */
const waitMs = 10_000;

/** Keeps accounts from starving each other: calls wait before they take a connection, and an account uses at most half of them. A flood has its own calls refused. */
export function createCallLimits({ connections, onQueued, onRefused }: CallLimitsOptions): CallLimits {
  const half = (count: number) => Math.ceil(count / 2);
  const createClassLimiter = (callClass: CallClass, concurrency: number, maxPerKey: number): Limiter =>
    createLimiter({
      concurrency,
      maxPerKey,
      maxWaiting,
      maxWaitingPerKey: maxWaitingPerAccount,
      waitMs,
      onQueued: (waitedMs) => onQueued(callClass, waitedMs),
      refuse: (reason) => {
        onRefused(callClass, reason);
        return refuseCall(reason);
      },
    });
  const usual = createClassLimiter('usual', connections, half(connections));
  // A heavy call first waits in the queue of its class, where it holds no connection, then in the usual queue.
  const heavy: Record<Exclude<CallClass, 'usual'>, Limiter> = {
    // Uses at most two cores of PostgreSQL, and one per account.
    survey: createClassLimiter('survey', Math.min(2, half(connections)), 1),
    walk: createClassLimiter('walk', half(connections), half(half(connections))),
    list: createClassLimiter('list', half(connections), half(half(connections))),
  };
  return {
    async run(operation, accountId, work, onHangUp) {
      const callClass = classOf(operation);
      if (callClass === 'unlimited') return work();
      const call = { key: accountId, onHangUp };
      const runUsual = () => usual(work, call);
      return callClass === 'usual' ? runUsual() : heavy[callClass](runUsual, call);
    },
  };
}

export const refuseCall = (reason: RefusalReason): ApiError => refusals[reason]();

const refusals: Record<RefusalReason, () => ApiError> = {
  own: () =>
    new ApiError(
      'TOO_MANY_REQUESTS',
      'The account has too many calls in flight. Wait as long as Retry-After says, and send fewer concurrent calls.',
      { retryAfterSeconds: 1 },
    ),
  all: () =>
    new ApiError('UNAVAILABLE', 'Too many calls are in flight. Try again shortly.', { retryAfterSeconds: 1 }),
  // Only logged: the caller is gone.
  gone: () => new ApiError('INVALID_REQUEST', 'The caller closed the connection before the call started.'),
};
