import { createHash } from 'node:crypto';
import { type BatchOptions, createBatcher } from '../lib/batches.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Redis } from './client.ts';

/** Short, since while Redis is down each process alone allows the whole limit. */
const pauseMs = 1000;

/** How long Redis keeps a limit that was set with `isCurrent`. Later calls pass it again. */
const limitSeconds = 60;

/** The most that a process reserves, relative to the limit. */
export const maxReserved = 0.05;
/** A process reserves tokens only from the upper half, so that a bucket that is less than half full counts every call. */
const unreservedShare = 0.5;

/** Redis does nothing else while a script runs, which takes a few microseconds per bucket. */
const batchOptions: BatchOptions = { maxInFlight: 4, maxSize: 100, maxWaiting: 100_000 };

export interface SharedTake {
  readonly limit: number;
  /** Whether `limit` becomes the limit of all processes. */
  readonly isCurrent: boolean;
  /** What the bucket is owed: tokens taken while Redis was down, less those that were reserved and not used. */
  readonly owed: number;
  /** For calls that are waiting. */
  readonly requested: number;
  /** For calls that are expected soon. */
  readonly reserve: number;
}

interface SharedResponse {
  /** The level of the shared bucket before the take. */
  readonly level: number;
  readonly limit: number;
  /** How many of the tokens to reserve were taken. */
  readonly reserved: number;
}

interface SharedBucketOptions {
  /** How long an empty bucket takes to refill. */
  readonly seconds: number;
  readonly timeoutMs: number;
  readonly onFallback: (isAlone: boolean) => void;
}

/**
 * For each bucket: subtracts what is owed, takes the requested tokens as far as whole ones are available, reserves further
 * ones, and returns the level before that. Uses Redis's clock, so that no two clocks are compared; if it was set back, the
 * bucket is full instead of empty until the clock catches up. A key expires once its bucket would be full again after the
 * largest possible debt.
 */
const script = `
local seconds = tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function take(key, limitKey, limit, owed, requested, isCurrent, reserve)
  local newest = tonumber(redis.call('GET', limitKey) or limit)
  local raised = 0
  if isCurrent then
    raised = math.max(0, limit - newest)
  else
    limit = newest
  end
  redis.call('SET', limitKey, limit, 'EX', ${limitSeconds})
  local level = limit
  local stored = redis.call('GET', key)
  if stored then
    local left, at = string.match(stored, '^(%S+) (%S+)$')
    left, at = math.max(-limit, tonumber(left)) + raised, tonumber(at)
    if now >= at then level = math.min(limit, left + (now - at) * limit / (seconds * 1000000)) end
  end
  owed = math.max(owed, -math.floor(limit * ${maxReserved}))
  level = math.min(limit, math.max(-limit, level - owed))
  local taken = math.max(0, math.min(requested, math.floor(level)))
  local upper = level - taken - limit * ${unreservedShare}
  local reserved = math.max(0, math.floor(math.min(reserve, limit * ${maxReserved}, upper)))
  if taken > 0 or owed ~= 0 then
    local left = level - taken - reserved
    redis.call('SET', key, string.format('%.17g %.0f', left, now), 'EX', 2 * seconds)
  end
  return string.format('%.17g %.0f %.0f', level, limit, reserved)
end

local results = {}
for n = 1, #KEYS / 2 do
  local first = 5 * n - 3
  local limit, owed, requested = tonumber(ARGV[first]), tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2])
  local isCurrent, reserve = ARGV[first + 3] == '1', tonumber(ARGV[first + 4])
  results[n] = take(KEYS[2 * n - 1], KEYS[2 * n], limit, owed, requested, isCurrent, reserve)
end
return results
`;
const scriptSha1 = createHash('sha1').update(script).digest('hex');

/** `describe` is called if a request is sent, which `isSent` says. `response` is undefined while Redis is down. */
export function createSharedTake(redis: Redis, { seconds, timeoutMs, onFallback }: SharedBucketOptions) {
  const breaker = createCircuitBreaker({
    timeoutMs,
    pauseMs,
    ping: () => redis.ping(),
    onChange: onFallback,
  });
  // Otherwise, calls for many keys would each send a request of their own.
  const takeTogether = createBatcher(batchOptions, (takes: KeyedTake[]) => runScript(redis, seconds, takes));
  return async (key: string, describe: () => SharedTake) => {
    const request = { isSent: false };
    const response = await breaker.call(() => {
      request.isSent = true;
      return takeTogether({ key, ...describe() });
    });
    return { response, isSent: request.isSent };
  };
}

type KeyedTake = SharedTake & { readonly key: string };

async function runScript(
  redis: Redis,
  seconds: number,
  takes: readonly KeyedTake[],
): Promise<SharedResponse[]> {
  const results = await evaluate(redis, {
    keys: takes.flatMap(({ key }) => [key, `${key}:limit`]),
    arguments: [
      String(seconds),
      ...takes.flatMap(({ limit, owed, requested, isCurrent, reserve }) =>
        [limit, owed, requested, isCurrent ? 1 : 0, reserve].map(String),
      ),
    ],
  });
  return (results as unknown[]).map((result) => {
    const [level = 0, limit = 1, reserved = 0] = String(result).split(' ').map(Number);
    return { level, limit, reserved };
  });
}

async function evaluate(redis: Redis, input: { keys: string[]; arguments: string[] }): Promise<unknown> {
  try {
    return await redis.evalSha(scriptSha1, input);
  } catch (error) {
    // A restarted Redis does not know the script.
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
    return redis.eval(script, input);
  }
}
