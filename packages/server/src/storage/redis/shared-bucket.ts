import { createHash } from 'node:crypto';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { Redis } from './client.ts';

/** Short, since while Redis is down each process alone allows the whole limit. */
const pauseMs = 1000;

/** How long Redis keeps a limit that was set with `isCurrent`. Later calls get it from the deployment. */
const limitSeconds = 60;

/** A process reserves tokens only from the upper part of a bucket, so that one near its limit counts every call. */
const reservedShare = 0.5;

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
 * Subtracts what is owed, takes the requested tokens as far as whole ones are available, reserves further ones, and returns
 * the level before that. Uses Redis's clock, so that no two clocks are compared; if it was set back, the bucket is full
 * instead of empty until the clock catches up. A key expires once its bucket would be full again after the largest possible
 * debt.
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
level = math.min(limit, math.max(-limit, level - owed))
local taken = math.max(0, math.min(requested, math.floor(level)))
local upper = math.floor(level - taken - limit * ${reservedShare})
local reserved = math.max(0, math.min(tonumber(ARGV[6]), upper))
if taken > 0 or owed ~= 0 then
  local left = level - taken - reserved
  redis.call('SET', KEYS[1], string.format('%.17g %.0f', left, now), 'EX', 2 * seconds)
end
return string.format('%.17g %.0f %.0f', level, limit, reserved)
`;
const scriptSha1 = createHash('sha1').update(script).digest('hex');

/**
 * Takes from a bucket in Redis. `describe` is called if a request is sent. `response` is undefined while Redis is down;
 * `isSent`: whether a request was sent.
 */
export function createSharedTake(redis: Redis, { seconds, timeoutMs, onFallback }: SharedBucketOptions) {
  const breaker = createCircuitBreaker({
    timeoutMs,
    pauseMs,
    ping: () => redis.ping(),
    onChange: onFallback,
  });
  return async (key: string, describe: () => SharedTake) => {
    const request = { isSent: false };
    const response = await breaker.call(() => {
      request.isSent = true;
      const { limit, owed, requested, isCurrent, reserve } = describe();
      return runScript(redis, {
        keys: [key, `${key}:limit`],
        arguments: [limit, owed, requested, isCurrent ? 1 : 0, seconds, reserve].map(String),
      });
    });
    return { response, isSent: request.isSent };
  };
}

interface ScriptInput {
  readonly keys: string[];
  readonly arguments: string[];
}

async function runScript(redis: Redis, input: ScriptInput): Promise<SharedResponse> {
  const [level, limit, reserved] = String(await evaluate(redis, input))
    .split(' ')
    .map(Number);
  return { level: level ?? 0, limit: limit ?? 1, reserved: reserved ?? 0 };
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
