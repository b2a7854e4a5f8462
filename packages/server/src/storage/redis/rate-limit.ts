import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { within } from '../../lib/within.ts';
import type { Redis } from './client.ts';

/** Redis answers within a millisecond or two. One that hangs, or a network that swallows, says nothing at all. */
const answerMs = 500;

export type Taken =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryAfterSeconds: number };

export interface RateLimit {
  /** Takes one; answers the seconds to wait when there is none left. */
  take(key: string): Promise<Taken>;
}

/**
 * So many in so many seconds for each key, over all processes that share the Redis. Without Redis, or while it
 * is away, each process keeps the same limit by itself.
 */
export function createRateLimit(
  redis: Redis | undefined,
  { name, points, seconds }: { name: string; points: number; seconds: number },
): RateLimit {
  const inProcess = new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });
  const shared = redis
    ? new RateLimiterRedis({
        storeClient: redis,
        useRedisPackage: true,
        keyPrefix: `tastegraph:${name}`,
        points,
        duration: seconds,
      })
    : undefined;
  const consume = async (key: string) => {
    if (!shared) return inProcess.consume(key);
    try {
      return await within(answerMs, shared.consume(key));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) throw refusal;
      return inProcess.consume(key);
    }
  };
  return {
    async take(key) {
      try {
        await consume(key);
        return { allowed: true };
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) };
      }
    },
  };
}
