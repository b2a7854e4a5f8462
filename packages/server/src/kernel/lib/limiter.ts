import { DeadlineExceededError } from './within.ts';

/** Runs work when there is room for it. Rejects with the error of `refuse` if there is none in time. */
export type Limiter = <T>(work: () => Promise<T>, call?: LimitedCall) => Promise<T>;

interface LimitedCall {
  /** Calls of one key share its limits. Calls without a key share one key. */
  readonly key?: string;
  /** When the caller gives up, by `performance.now()`. Work is not started after it. Needs no timer. */
  readonly endMs?: number;
  /** Called only for a call that must wait, to register `drop` for when the caller disconnects. */
  readonly onHangUp?: ((drop: () => void) => void) | undefined;
}

/** `own`: its key has too many calls. `all`: all keys together have too many. `gone`: the caller disconnected or gave up. */
export type RefusalReason = 'own' | 'all' | 'gone';

export interface LimiterOptions {
  /** Work in flight. */
  readonly concurrency: number;
  /** Work in flight per key, so that the first calls of another key can start at once. */
  readonly maxPerKey?: number;
  /** Calls that may wait. Further ones are refused at once. */
  readonly maxWaiting: number;
  readonly maxWaitingPerKey?: number;
  /** A call that waits longer is refused. */
  readonly waitMs?: number;
  /** Creates the error for the caller. The default is `DeadlineExceededError`. */
  readonly refuse?: (reason: RefusalReason) => Error;
  /** Called when a call that had to wait starts. */
  readonly onQueued?: (waitedMs: number) => void;
}

interface Waiting {
  /** Increasing, so the lowest has waited the longest. */
  readonly arrival: number;
  readonly endMs: number;
  readonly start: () => void;
  readonly shed: (reason: RefusalReason) => void;
}

/** The calls of one key. The oldest waiting call is first. */
interface KeyQueue {
  inFlight: number;
  readonly waiting: Waiting[];
}

/**
 * Limits the work in flight, so that running work ends in time, and refuses the rest early, when that is cheap. Fair between
 * keys: a free slot goes to the key with the fewest calls in flight, and when too many calls wait, the latest call of the key
 * with the most calls is refused. A flood therefore has its own calls refused. Within a key, first come, first served.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { concurrency, maxWaiting, waitMs, refuse = defaultError } = options;
  const { maxPerKey = concurrency, maxWaitingPerKey = maxWaiting } = options;
  /** Contains only keys that have calls. */
  const queues = new Map<string, KeyQueue>();
  let inFlight = 0;
  let waiting = 0;
  let arrivals = 0;

  const canStart = (queue: KeyQueue) => inFlight < concurrency && queue.inFlight < maxPerKey;
  const start = (queue: KeyQueue) => {
    queue.inFlight++;
    inFlight++;
  };
  const forgetIfEmpty = (key: string, queue: KeyQueue) => {
    if (queue.inFlight === 0 && queue.waiting.length === 0) queues.delete(key);
  };
  const reasonOf = (queue: KeyQueue) => (queue.inFlight >= maxPerKey ? 'own' : 'all');

  const wait = (key: string, queue: KeyQueue, { endMs = Number.POSITIVE_INFINITY, onHangUp }: LimitedCall) =>
    new Promise<void>((resolve, reject) => {
      const since = performance.now();
      const entry: Waiting = {
        arrival: arrivals++,
        endMs,
        start: () => {
          stopWaiting();
          start(queue);
          options.onQueued?.(performance.now() - since);
          resolve();
        },
        shed: (reason) => {
          stopWaiting();
          forgetIfEmpty(key, queue);
          reject(refuse(reason));
        },
      };
      const timer = waitMs === undefined ? undefined : setTimeout(() => entry.shed(reasonOf(queue)), waitMs);
      const stopWaiting = () => {
        clearTimeout(timer);
        queue.waiting.splice(queue.waiting.indexOf(entry), 1);
        waiting--;
      };
      queue.waiting.push(entry);
      waiting++;
      onHangUp?.(() => {
        if (queue.waiting.includes(entry)) entry.shed('gone');
      });
    });

  const shedExpired = () => {
    const now = performance.now();
    for (const queue of queues.values())
      for (const entry of queue.waiting.filter(({ endMs }) => endMs <= now)) entry.shed('gone');
  };

  /** Refuses a waiting call of the key with the most calls. False if no key has more calls than this one would have. */
  const makeRoom = (queue: KeyQueue): boolean => {
    const busiest = highestRanked(queues.values(), countCalls);
    // A difference of one is not enough: two keys would displace each other's calls forever.
    if (!busiest || countCalls(busiest) <= countCalls(queue) + 1) return false;
    busiest.waiting.at(-1)?.shed('own');
    return true;
  };

  const enter = async (key: string, queue: KeyQueue, call: LimitedCall): Promise<void> => {
    if (queue.waiting.length >= maxWaitingPerKey || waiting >= maxWaiting) shedExpired();
    // shedExpired may have removed the queue.
    queues.set(key, queue);
    const isOwnFull = queue.waiting.length >= maxWaitingPerKey;
    if (!isOwnFull && (waiting < maxWaiting || makeRoom(queue))) return wait(key, queue, call);
    forgetIfEmpty(key, queue);
    throw refuse(isOwnFull ? 'own' : reasonOf(queue));
  };

  const leave = (key: string, queue: KeyQueue) => {
    queue.inFlight--;
    inFlight--;
    forgetIfEmpty(key, queue);
    // Usually nobody waits: do not look at all keys then.
    while (waiting > 0) {
      const next = highestRanked(queues.values(), (other) => (canStart(other) ? -other.inFlight : undefined));
      const first = next?.waiting[0];
      if (!first) return;
      if (first.endMs > performance.now()) {
        first.start();
        return;
      }
      first.shed('gone');
    }
  };

  return async (work, call = {}) => {
    const key = call.key ?? '';
    const queue = queues.get(key) ?? { inFlight: 0, waiting: [] };
    queues.set(key, queue);
    if (canStart(queue)) start(queue);
    else await enter(key, queue, call);
    try {
      return await work();
    } finally {
      leave(key, queue);
    }
  };
}

const defaultError = (reason: RefusalReason) =>
  new DeadlineExceededError(
    reason === 'gone' ? 'timed out while waiting for a free slot' : 'too many calls are waiting',
  );

const countCalls = (queue: KeyQueue) => queue.inFlight + queue.waiting.length;

/** The queue with a waiting call and the highest rank. Among equal ranks, the one that has waited the longest. */
function highestRanked(
  queues: Iterable<KeyQueue>,
  rankOf: (queue: KeyQueue) => number | undefined,
): KeyQueue | undefined {
  let best: { queue: KeyQueue; rank: number; arrival: number } | undefined;
  for (const queue of queues) {
    const arrival = queue.waiting[0]?.arrival;
    const rank = rankOf(queue);
    if (arrival === undefined || rank === undefined) continue;
    if (!best || rank > best.rank || (rank === best.rank && arrival < best.arrival))
      best = { queue, rank, arrival };
  }
  return best?.queue;
}
