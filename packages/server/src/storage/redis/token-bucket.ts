import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type BatchOptions, inBatches } from '../../lib/batches.ts';
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

/** Calls of a project that ask at the same time take theirs in one exchange: of a thousand, each is but a number. */
const together: BatchOptions = { atOnce: 1, most: 1000 };

/**
 * Takes what the process let through while it was alone; then answers what the bucket holds, and takes of that as many whole
 * ones as are wanted. By Redis's clock, so that no two processes' are compared. A clock that was set back leaves a full bucket, not
 * one that is empty until it has caught up. A bucket that owes as much as it can hold is full after two seconds: then
 * nothing need be known of it.
 */
const script = `
local perSecond, owed, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
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
local taken = math.max(0, math.min(wanted, math.floor(held)))
if taken > 0 or owed > 0 then
  local left = held - taken
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
  readonly take: (perSecond: number) => Promise<Taken>;
}

/**
 * Buckets that hold one second's worth, filled all the time, shared by all processes that share the Redis: one exchange
 * a take, or for several that ask at once. Without Redis, or while it is away, each process goes on by itself with what it last saw in them.
 */
export function createTokenBucket(
  redis: Redis | undefined,
  { name, onAlone }: TokenBucketOptions,
): TokenBucket {
  const buckets = new LRUCache<string, Bucket>({ max: keptBuckets });
  // Also where there is no Redis: one process is all there is then, and nobody is away.
  onAlone(false);
  const askShared = redis && askThrough(redis, onAlone);

  /** Of so many that ask at once, the first get what there is. */
  const takeAll = async (
    key: string,
    bucket: Bucket,
    perSecond: number,
    wanted: number,
  ): Promise<Taken[]> => {
    const nowMs = performance.now();
    // Others may have taken from it since, and nobody put any back: a flood is refused without asking.
    const known = heldNow(bucket, perSecond, nowMs);
    if (known < 1) return answers(known, 0, perSecond, wanted);
    const shared = await askShared?.(`tastegraph:${name}:${key}`, perSecond, bucket, wanted);
    const isShared = shared?.held !== undefined;
    const atMs = isShared ? nowMs : performance.now();
    const held = shared?.held ?? heldNow(bucket, perSecond, atMs);
    const taken = Math.max(0, Math.min(wanted, Math.floor(held)));
    bucket.left = held - taken;
    bucket.atMs = atMs;
    // What was asked for and is late will be taken from the shared one all the same.
    if (!isShared && !shared?.isSent) bucket.owed += taken;
    return answers(held, taken, perSecond, wanted);
  };

  const open = (key: string, perSecond: number): Bucket => {
    const bucket: Bucket = {
      ...{ left: perSecond, atMs: performance.now(), owed: 0 },
      // A limit that changes is in force from the call on that first brings it.
      take: inBatches(together, (limits) => takeAll(key, bucket, limits.at(-1) ?? 1, limits.length)),
    };
    return bucket;
  };
  return {
    take(key, perSecond) {
      const bucket = buckets.get(key) ?? open(key, perSecond);
      buckets.set(key, bucket);
      return bucket.take(perSecond);
    },
  };
}

/** Answers what the shared bucket held before any was taken, undefined while Redis is away; and whether it was asked. */
function askThrough(redis: Redis, onAlone: (isAlone: boolean) => void) {
  const circuit = createCircuit({ answerMs, pauseMs, ping: () => redis.ping(), onChange: onAlone });
  return async (key: string, perSecond: number, bucket: Bucket, wanted: number) => {
    const call = { isSent: false };
    const held = await circuit.ask(() => {
      call.isSent = true;
      // What has come in since makes up for what was taken.
      const owed = Math.min(bucket.owed, perSecond - heldNow(bucket, perSecond, performance.now()));
      bucket.owed = 0;
      return runScript(redis, { keys: [key], arguments: [perSecond, owed, wanted].map(String) });
    });
    return { held, isSent: call.isSent };
  };
}

function heldNow({ left, atMs }: Bucket, perSecond: number, nowMs: number): number {
  // It never owes more than it can hold: of a smaller one than before, neither.
  return Math.min(perSecond, Math.max(-perSecond, left) + ((nowMs - atMs) * perSecond) / 1000);
}

/** One for each that asked, the first so many of which got one. */
function answers(held: number, taken: number, perSecond: number, wanted: number): Taken[] {
  const refused = { allowed: false, retryAfterSeconds: Math.ceil((1 - (held - taken)) / perSecond) } as const;
  return Array.from({ length: wanted }, (_, place) => (place < taken ? { allowed: true } : refused));
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
