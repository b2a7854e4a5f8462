import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type BatchOptions, createBatcher } from '../../lib/batches.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Redis } from './client.ts';

export type TakeResult =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterSeconds: number };

/** A result, and the limit that it was decided with. */
type BucketTakeResult = TakeResult & { readonly limit: number };

export interface TokenBucket {
  /**
   * Takes one token of `limit` (an integer of 1 or more), which is what a full bucket holds. With `isCurrent`, it
   * becomes the limit for all processes that share the Redis, and the level is capped to it. Without, it is the limit
   * that the caller last knew: a newer limit set by another process has priority.
   */
  take(key: string, limit: number, options?: { isCurrent: boolean }): Promise<BucketTakeResult>;
  /** Whether a token could be taken, without taking it. */
  check(key: string, limit: number): Promise<BucketTakeResult>;
}

interface TokenBucketOptions {
  readonly name: string;
  /** How long an empty bucket takes to refill; `limit` is per this many seconds. */
  readonly seconds: number;
  /** How long a call may wait for Redis, which responds within 1 or 2 ms. */
  readonly timeoutMs: number;
  /** Buckets that this process remembers, of about 1 kB each. */
  readonly maxBuckets?: number;
  /** Whether this process limits without Redis. Called at the start, and on every change. */
  readonly onFallback?: (isAlone: boolean) => void;
}

/** Short, since while Redis is down each process alone allows the whole limit. */
const pauseMs = 1000;
/** An evicted bucket is full again, or has Redis's level. */
const defaultMaxBuckets = 10_000;

/** Concurrent calls for a key share one round trip to Redis: a batch of a thousand is still one number. */
const batchOptions: BatchOptions = { maxInFlight: 1, maxSize: 1000, maxWaiting: 10_000 };

/** How long Redis keeps a limit that was set with `isCurrent`. Later calls get it from the deployment. */
const limitSeconds = 60;

/**
 * Subtracts the tokens that this process took while Redis was down, takes the requested tokens as far as whole ones are
 * available, and returns the level before that. Uses Redis's clock, so that no two clocks are compared; if it was set
 * back, the bucket is full instead of empty until the clock catches up. A key expires once its bucket would be full
 * again after the largest possible debt.
 */
const script = `
local limit, owed, requested = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local seconds = tonumber(ARGV[5])
local newest = tonumber(redis.call('GET', KEYS[2]) or ARGV[1])
local raised = 0
if ARGV[4] == '1' then
  raised = math.max(0, limit - newest)
else
  limit = newest
end
redis.call('SET', KEYS[2], limit, 'EX', ${limitSeconds})
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local level = limit
local stored = redis.call('GET', KEYS[1])
if stored then
  local left, at = string.match(stored, '^(%S+) (%S+)$')
  left, at = math.max(-limit, tonumber(left)) + raised, tonumber(at)
  if now >= at then level = math.min(limit, left + (now - at) * limit / (seconds * 1000000)) end
end
level = math.max(-limit, level - owed)
local taken = math.max(0, math.min(requested, math.floor(level)))
if taken > 0 or owed > 0 then
  local left = level - taken
  redis.call('SET', KEYS[1], string.format('%.17g %.0f', left, now), 'EX', 2 * seconds)
end
return string.format('%.17g %.0f', level, limit)
`;
const scriptSha1 = createHash('sha1').update(script).digest('hex');

interface TakeRequest {
  readonly limit: number;
  readonly isCurrent: boolean;
  /** False for a check. */
  readonly takes: boolean;
}

interface Bucket {
  /** The level at `atMs` of this process's clock. */
  level: number;
  atMs: number;
  /** The limit that this process last saw. */
  limit: number;
  /** The limit was set here with `isCurrent`, and Redis does not have it yet. */
  isLimitUnsent: boolean;
  /** Tokens taken while Redis was down and not yet subtracted from the shared bucket. */
  owed: number;
  readonly request: (request: TakeRequest) => Promise<BucketTakeResult>;
}

/**
 * Token buckets that refill continuously and are shared by all processes with the same Redis. One round trip per take,
 * or per batch of concurrent takes. Without Redis, or while it is down, each process continues alone from the level
 * that it last saw.
 */
export function createTokenBucket(
  redis: Redis | undefined,
  {
    name,
    seconds,
    timeoutMs,
    maxBuckets = defaultMaxBuckets,
    onFallback = () => undefined,
  }: TokenBucketOptions,
): TokenBucket {
  const buckets = new LRUCache<string, Bucket>({ max: maxBuckets });
  // Also without Redis: a single process is not a fallback.
  onFallback(false);
  const takeShared = redis && createSharedTake(redis, { seconds, timeoutMs, onFallback });

  /** The first of the requests get the tokens that are available. */
  const takeAll = async (
    key: string,
    bucket: Bucket,
    requests: readonly TakeRequest[],
  ): Promise<BucketTakeResult[]> => {
    const current = requests.findLast(({ isCurrent }) => isCurrent);
    if (current) setLimit(bucket, current.limit);
    const requested = requests.filter(({ takes }) => takes).length;
    const nowMs = performance.now();
    // The shared level can only be lower than what we know, so a flood is refused without a round trip. A new limit
    // must still be sent.
    const knownLevel = levelAt(bucket, seconds, nowMs);
    if (knownLevel < 1 && !(takeShared && bucket.isLimitUnsent))
      return resultsOf(knownLevel, bucket.limit, seconds, requests);
    const shared = await takeShared?.(`tastegraph:${name}:${key}`, bucket, requested);
    const response = shared?.response;
    const atMs = response ? nowMs : performance.now();
    if (response) {
      bucket.limit = response.limit;
      bucket.isLimitUnsent = false;
    }
    const level = response?.level ?? levelAt(bucket, seconds, atMs);
    const taken = Math.max(0, Math.min(requested, Math.floor(level)));
    bucket.level = level - taken;
    bucket.atMs = atMs;
    // A request that was sent and timed out still takes from the shared bucket.
    if (!response && !shared?.isSent) bucket.owed += taken;
    return resultsOf(level, bucket.limit, seconds, requests);
  };

  const open = (key: string, limit: number, isCurrent: boolean): Bucket => {
    const bucket: Bucket = {
      level: limit,
      atMs: performance.now(),
      limit,
      isLimitUnsent: isCurrent,
      owed: 0,
      request: createBatcher(batchOptions, (requests: TakeRequest[]) => takeAll(key, bucket, requests)),
    };
    return bucket;
  };
  const request = (key: string, one: TakeRequest): Promise<BucketTakeResult> => {
    const bucket = buckets.get(key) ?? open(key, one.limit, one.isCurrent);
    buckets.set(key, bucket);
    return bucket.request(one);
  };
  return {
    take: (key, limit, { isCurrent } = { isCurrent: false }) =>
      request(key, { limit, isCurrent, takes: true }),
    check: (key, limit) => request(key, { limit, isCurrent: false, takes: false }),
  };
}

/** Token buckets whose limit never changes. */
export interface RateLimit {
  take(key: string): Promise<TakeResult>;
  check(key: string): Promise<TakeResult>;
}

export function createRateLimit(
  redis: Redis | undefined,
  { limit, ...options }: TokenBucketOptions & { readonly limit: number },
): RateLimit {
  const bucket = createTokenBucket(redis, options);
  return { take: (key) => bucket.take(key, limit), check: (key) => bucket.check(key, limit) };
}

/** A higher limit adds the difference to the level, so that taken tokens stay taken. levelAt caps to a lower one. */
function setLimit(bucket: Bucket, limit: number): void {
  if (limit === bucket.limit) return;
  bucket.level = Math.max(-limit, bucket.level) + Math.max(0, limit - bucket.limit);
  bucket.limit = limit;
  bucket.isLimitUnsent = true;
}

interface SharedResponse {
  /** The level of the shared bucket before the take. */
  readonly level: number;
  readonly limit: number;
}

/** Takes from the shared bucket. `response` is undefined while Redis is down; `isSent`: whether a request was sent. */
function createSharedTake(
  redis: Redis,
  { seconds, timeoutMs, onFallback }: Required<Omit<TokenBucketOptions, 'name' | 'maxBuckets'>>,
) {
  const breaker = createCircuitBreaker({
    timeoutMs,
    pauseMs,
    ping: () => redis.ping(),
    onChange: onFallback,
  });
  return async (key: string, bucket: Bucket, requested: number) => {
    const request = { isSent: false };
    const response = await breaker.call(() => {
      request.isSent = true;
      const { limit, isLimitUnsent } = bucket;
      // Tokens that were refilled since need not be paid back.
      const owed = Math.min(bucket.owed, limit - levelAt(bucket, seconds, performance.now()));
      bucket.owed = 0;
      return runScript(redis, {
        keys: [key, `${key}:limit`],
        arguments: [limit, owed, requested, isLimitUnsent ? 1 : 0, seconds].map(String),
      });
    });
    return { response, isSent: request.isSent };
  };
}

function levelAt({ level, atMs, limit }: Bucket, seconds: number, nowMs: number): number {
  // The debt is capped at one full bucket, also after the limit was lowered.
  return Math.min(limit, Math.max(-limit, level) + ((nowMs - atMs) * limit) / (seconds * 1000));
}

/** One result per request, in order, as long as there are tokens. */
function resultsOf(
  level: number,
  limit: number,
  seconds: number,
  requests: readonly TakeRequest[],
): BucketTakeResult[] {
  let left = level;
  return requests.map(({ takes }) => {
    if (left < 1)
      return { allowed: false, retryAfterSeconds: Math.ceil(((1 - left) * seconds) / limit), limit };
    if (takes) left--;
    return { allowed: true, limit };
  });
}

interface ScriptInput {
  readonly keys: string[];
  readonly arguments: string[];
}

async function runScript(redis: Redis, input: ScriptInput): Promise<SharedResponse> {
  const [level, limit] = String(await evaluate(redis, input))
    .split(' ')
    .map(Number);
  return { level: level ?? 0, limit: limit ?? 1 };
}

async function evaluate(redis: Redis, input: ScriptInput): Promise<unknown> {
  try {
    return await redis.evalSha(scriptSha1, input);
  } catch (error) {
    // A restarted Redis does not know the script.
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
    return redis.eval(script, input);
  }
}
