import { setTimeout as sleep } from 'node:timers/promises';
import { openRedis } from '../../../src/kernel/redis/client.ts';
import { createTokenBucket } from '../../../src/kernel/redis/token-bucket.ts';

/** What a process must call: takes at an even rate, whatever their results. */
export interface Asking {
  readonly redisUrl: string;
  readonly key: string;
  readonly perSecond: number;
  readonly asksPerSecond: number;
  readonly seconds: number;
  readonly reserveMs: number;
}

export interface Asked {
  readonly asked: number;
  readonly allowed: number;
  /** How often Redis was unavailable to it. */
  readonly alone: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Makes the calls of a few milliseconds at once, as real callers do, and catches up when late. */
const paceMs = 5;

process.once('message', (asking: Asking) => void ask(asking));
// Listen only now: processes take a while to start and must begin together.
process.send?.('ready');

async function ask({ redisUrl, key, perSecond, asksPerSecond, seconds, reserveMs }: Asking): Promise<void> {
  let alone = 0;
  const redis = openRedis(redisUrl, () => undefined);
  while (!redis.isReady) await sleep(10);
  const bucket = createTokenBucket(redis, {
    name: 'test',
    seconds: 1,
    timeoutMs: 20,
    reserveMs,
    onFallback: (isAlone) => (alone += isAlone ? 1 : 0),
  });
  // A process that starts with a full bucket is allowed one second's worth more.
  while ((await bucket.take(key, perSecond)).allowed);
  let allowed = 0;
  const tookMs: number[] = [];
  const one = async () => {
    const start = performance.now();
    if ((await bucket.take(key, perSecond)).allowed) allowed++;
    tookMs.push(performance.now() - start);
  };
  const start = performance.now();
  const calls: Promise<void>[] = [];
  for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - start) {
    while (calls.length < (elapsedMs / 1000) * asksPerSecond) calls.push(one());
    await sleep(paceMs);
  }
  await Promise.all(calls);
  redis.destroy();
  tookMs.sort((a, b) => a - b);
  const at = (share: number) => tookMs[Math.floor(tookMs.length * share)] ?? 0;
  process.send?.({ asked: calls.length, allowed, alone, medianMs: at(0.5), p99Ms: at(0.99) } satisfies Asked);
  process.disconnect();
}
