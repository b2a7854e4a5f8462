import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createCircuit } from './circuit.ts';
import type { Redis } from './client.ts';
import type { Taken } from './rate-limit.ts';

export interface TokenBucket {
  /** Takes one of `perSecond`, a whole number from 1 up; another number than before is in force at once. */
  take(key: string, perSecond: number): Promise<Taken>;
}

interface TokenBucketOptions {
  readonly name: string;
  /** Whether this process keeps the buckets by itself: said at the start, and whenever it changes. */
  readonly onAlone: (isAlone: boolean) => void;
}

/** Redis answers within a millisecond or two; a call that has some tens for all it does cannot wait longer. */
const answerMs = 20;
/** While Redis is away, a process lets through what all together should: not longer than it must. */
const pauseMs = 1000;
/** As many projects as one process may serve at a time. One that is forgotten has a full bucket, or Redis's. */
const keptBuckets = 10_000;

/**
 * Takes what the process let through while it was alone; then answers what the bucket holds, and takes one if that is at
 * least one. By Redis's clock, so that no two processes' are compared. A clock that was set back leaves a full bucket, not
 * one that is empty until it has caught up. A bucket that owes as much as it can hold is full after two seconds: then
 * nothing need be known of it.
 */
const script = `
local perSecond, owed = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local held = perSecond
local kept = redis.call('GET', KEYS[1])
if kept then
  local left, at = string.match(kept, '^(%S+) (%S+)$')
  left, at = math.max(-perSecond, tonumber(left)), tonumber(at)
  if now >= at then held = math.min(perSecond, left + (now - at) * perSecond / 1000000) end
end
held = math.max(-perSecond, held - owed)
if held >= 1 or owed > 0 then
  local left = held >= 1 and held - 1 or held
  redis.call('SET', KEYS[1], string.format('%.17g %.0f', left, now), 'EX', 2)
end
return string.format('%.17g', held)
`;
const scriptSha1 = createHash('sha1').update(script).digest('hex');

interface Bucket {
  /** What was left in it at a time of this process's clock. */
  left: number;
  atMs: number;
  /** Taken while this process was alone, and not yet from the shared one, which would be too full without. */
  owed: number;
}

/**
 * Buckets that hold one second's worth, filled all the time, shared by all processes that share the Redis: one exchange
 * a take. Without Redis, or while it is away, each process goes on by itself with what it last saw in them.
 */
export function createTokenBucket(
  redis: Redis | undefined,
  { name, onAlone }: TokenBucketOptions,
): TokenBucket {
  const buckets = new LRUCache<string, Bucket>({ max: keptBuckets });
  onAlone(redis === undefined);
  const askShared = redis && askThrough(redis, onAlone);
  return {
    async take(key, perSecond) {
      const nowMs = performance.now();
      const bucket = buckets.get(key) ?? { left: perSecond, atMs: nowMs, owed: 0 };
      buckets.set(key, bucket);
      // Others may have taken from it since, and nobody put any back: a flood is refused without asking.
      const held = heldNow(bucket, perSecond, nowMs);
      if (held < 1) return answer(held, perSecond);
      const shared = await askShared?.(`tastegraph:${name}:${key}`, perSecond, bucket);
      if (shared?.held !== undefined) {
        takeFrom(bucket, shared.held, nowMs);
        return answer(shared.held, perSecond);
      }
      const laterMs = performance.now();
      const left = heldNow(bucket, perSecond, laterMs);
      // What was asked for and is late will be taken from the shared one all the same.
      if (takeFrom(bucket, left, laterMs) && !shared?.isSent) bucket.owed++;
      return answer(left, perSecond);
    },
  };
}

/** Answers what the shared bucket held before one was taken, undefined while Redis is away; and whether it was asked. */
function askThrough(redis: Redis, onAlone: (isAlone: boolean) => void) {
  const circuit = createCircuit({ answerMs, pauseMs, ping: () => redis.ping(), onChange: onAlone });
  return async (key: string, perSecond: number, bucket: Bucket) => {
    const call = { isSent: false };
    const held = await circuit.ask(() => {
      call.isSent = true;
      // What has come in since makes up for what was taken.
      const owed = Math.min(bucket.owed, perSecond - heldNow(bucket, perSecond, performance.now()));
      bucket.owed = 0;
      return runScript(redis, { keys: [key], arguments: [String(perSecond), String(owed)] });
    });
    return { held, isSent: call.isSent };
  };
}

function heldNow({ left, atMs }: Bucket, perSecond: number, nowMs: number): number {
  // It never owes more than it can hold: of a smaller one than before, neither.
  return Math.min(perSecond, Math.max(-perSecond, left) + ((nowMs - atMs) * perSecond) / 1000);
}

/** Whether there was one to take. */
function takeFrom(bucket: Bucket, held: number, atMs: number): boolean {
  const hasOne = held >= 1;
  bucket.left = hasOne ? held - 1 : held;
  bucket.atMs = atMs;
  return hasOne;
}

function answer(held: number, perSecond: number): Taken {
  if (held >= 1) return { allowed: true };
  return { allowed: false, retryAfterSeconds: Math.ceil((1 - held) / perSecond) };
}

async function runScript(redis: Redis, given: { keys: string[]; arguments: string[] }): Promise<number> {
  try {
    return Number(await redis.evalSha(scriptSha1, given));
  } catch (error) {
    // One that was started anew does not know the script.
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
    return Number(await redis.eval(script, given));
  }
}
