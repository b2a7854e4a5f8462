import { LRUCache } from 'lru-cache';
import { type BatchOptions, createBatcher } from '../lib/batches.ts';
import type { Redis } from './client.ts';
import { createSharedTake, maxReserved } from './shared-bucket.ts';

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
  /**
   * How long tokens may be reserved for calls that are expected, so that not every call waits for Redis. A burst may exceed
   * the limit by what was reserved before it: as many tokens as calls came in this time, and at most a twentieth of the
   * limit, in each process. 0 by default, which reserves none.
   */
  readonly reserveMs?: number;
  /** Buckets that this process remembers, of about 1 kB each. */
  readonly maxBuckets?: number;
  /** Whether this process limits without Redis. Called at the start, and on every change. */
  readonly onFallback?: (isAlone: boolean) => void;
}

/** An evicted bucket is full again, or has Redis's level. */
const defaultMaxBuckets = 10_000;

/** Concurrent calls for a key share one round trip to Redis: a batch of a thousand is still one number. */
const batchOptions: BatchOptions = { maxInFlight: 1, maxSize: 1000, maxWaiting: 10_000 };

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
  /** Tokens taken from the shared bucket for calls that are expected until `reservedUntilMs`. */
  reserved: number;
  reservedUntilMs: number;
  /** Calls that were allowed since the last round trip, which started at `askedAtMs`. */
  allowed: number;
  askedAtMs: number;
  readonly request: (request: TakeRequest) => Promise<BucketTakeResult>;
}

/**
 * Token buckets that refill continuously and are shared by all processes with the same Redis. One round trip per take,
 * per batch of concurrent takes, or per `reserveMs`. Without Redis, or while it is down, each process continues alone from the level
 * that it last saw.
 */
export function createTokenBucket(redis: Redis | undefined, options: TokenBucketOptions): TokenBucket {
  const { name, seconds, timeoutMs, reserveMs = 0 } = options;
  const { maxBuckets = defaultMaxBuckets, onFallback = () => undefined } = options;
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
    // The shared level is hardly higher than what we know (by tokens that others gave back), so a flood is refused without a
    // round trip. A new limit must still be sent.
    const knownLevel = levelAt(bucket, seconds, nowMs);
    if (knownLevel < 1 && !(takeShared && bucket.isLimitUnsent))
      return resultsOf(knownLevel, bucket.limit, seconds, requests);
    // One hash tag per name: a script may only use keys of one slot of a Redis Cluster, and it takes from several buckets at once.
    const shared = await takeShared?.(`tastegraph:{${name}}:${key}`, () => {
      const { limit, isLimitUnsent: isCurrent } = bucket;
      // Tokens that were refilled since need not be paid back.
      const owed =
        Math.min(bucket.owed, limit - levelAt(bucket, seconds, performance.now())) - bucket.reserved;
      const reserve = requested > 0 ? expectedCalls(bucket, reserveMs, nowMs) : 0;
      bucket.owed = 0;
      bucket.reserved = 0;
      bucket.allowed = 0;
      bucket.askedAtMs = nowMs;
      return { limit, isCurrent, owed, requested, reserve };
    });
    const response = shared?.response;
    const atMs = response ? nowMs : performance.now();
    if (response) {
      bucket.limit = response.limit;
      bucket.isLimitUnsent = false;
      bucket.reserved = response.reserved;
      bucket.reservedUntilMs = nowMs + reserveMs;
    }
    const level = response?.level ?? levelAt(bucket, seconds, atMs);
    const taken = Math.max(0, Math.min(requested, Math.floor(level)));
    bucket.level = level - taken - (response?.reserved ?? 0);
    bucket.allowed += taken;
    bucket.atMs = atMs;
    // A request that was sent and timed out still takes from the shared bucket. What it reserved is lost.
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
      reserved: 0,
      reservedUntilMs: 0,
      allowed: 0,
      askedAtMs: performance.now(),
      request: createBatcher(batchOptions, (requests: TakeRequest[]) => takeAll(key, bucket, requests)),
    };
    return bucket;
  };
  const request = (key: string, one: TakeRequest): Promise<BucketTakeResult> => {
    const bucket = buckets.get(key) ?? open(key, one.limit, one.isCurrent);
    buckets.set(key, bucket);
    return takeReserved(bucket, one)
      ? Promise.resolve({ allowed: true, limit: bucket.limit })
      : bucket.request(one);
  };
  return {
    take: (key, limit, { isCurrent } = { isCurrent: false }) =>
      request(key, { limit, isCurrent, takes: true }),
    check: (key, limit) => request(key, { limit, isCurrent: false, takes: false }),
  };
}

/** Uses a reserved token for the request, if there is one. */
function takeReserved(bucket: Bucket, { takes, isCurrent }: TakeRequest): boolean {
  if (!takes || isCurrent || bucket.reserved < 1 || performance.now() > bucket.reservedUntilMs) return false;
  bucket.reserved--;
  bucket.allowed++;
  return true;
}

/** How many tokens to reserve: as many as calls came in as much time before. */
function expectedCalls({ limit, allowed, askedAtMs }: Bucket, reserveMs: number, nowMs: number): number {
  const calls = (allowed * reserveMs) / Math.max(1, reserveMs, nowMs - askedAtMs);
  return Math.floor(Math.min(calls, limit * maxReserved));
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
  bucket.reserved = Math.min(bucket.reserved, Math.floor(limit * maxReserved));
  bucket.isLimitUnsent = true;
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
