import { setTimeout as sleep } from 'node:timers/promises';
import { openRedis } from '../../src/storage/redis/client.ts';
import { createTokenBucket } from '../../src/storage/redis/token-bucket.ts';

/** What a process is told to ask for: calls at an even pace, whatever becomes of them. */
export interface Asking {
  readonly redisUrl: string;
  readonly key: string;
  readonly perSecond: number;
  readonly asksPerSecond: number;
  readonly seconds: number;
}

export interface Asked {
  readonly asked: number;
  readonly allowed: number;
  /** Times that Redis was not there for it. */
  readonly alone: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Some milliseconds' worth is asked at a time, as callers do; what is late is made up for. */
const paceMs = 5;

process.once('message', (asking: Asking) => void ask(asking));
// Only now is a message heard; processes take their time to start, and are to ask at the same time.
process.send?.('ready');

async function ask({ redisUrl, key, perSecond, asksPerSecond, seconds }: Asking): Promise<void> {
  let alone = 0;
  const redis = openRedis(redisUrl, () => undefined);
  while (!redis.isReady) await sleep(10);
  const bucket = createTokenBucket(redis, { name: 'test', onAlone: (isAlone) => (alone += isAlone ? 1 : 0) });
  // Who begins with a full bucket is let through a second's worth more.
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
