import { setTimeout as sleep } from 'node:timers/promises';
import { type RawAnswer, RawClient } from './raw-client.ts';

export interface Target {
  readonly port: number;
  /** The n-th call's bytes. */
  readonly request: (n: number) => Buffer;
}

export interface Load {
  readonly perSecond: number;
  readonly latenciesMs: number[];
}

function check({ status, body }: RawAnswer, allowed: readonly number[] = [200]): void {
  if (!allowed.includes(status)) throw new Error(`the server answered ${status}: ${body.slice(0, 300)}`);
}

/** As many as go through so many connections, each calling again as soon as it is answered. */
export async function flood({ port, request }: Target, connections: number, seconds: number): Promise<Load> {
  const clients = await Promise.all(Array.from({ length: connections }, () => RawClient.open(port)));
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const sentAt = performance.now();
        check(await client.call(request(next++)));
        latenciesMs.push(performance.now() - sentAt);
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1000;
  for (const client of clients) client.close();
  return { perSecond: latenciesMs.length / took, latenciesMs };
}

/**
 * At a steady rate, whatever the answers take: a call's time counts from when it was due, so that a server that stumbles is
 * not spared the calls it held up.
 */
export async function pace(
  { port, request }: Target,
  perSecond: number,
  connections: number,
  seconds: number,
  allowed: readonly number[] = [200],
): Promise<Load> {
  const clients = await Promise.all(Array.from({ length: connections }, () => RawClient.open(port)));
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const total = Math.floor(perSecond * seconds);
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (let n = next++; n < total; n = next++) {
        const dueAt = startedAt + (n * 1000) / perSecond;
        const waitMs = dueAt - performance.now();
        if (waitMs > 1) await sleep(waitMs);
        check(await client.call(request(n)), allowed);
        latenciesMs.push(performance.now() - Math.max(dueAt, startedAt));
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1000;
  for (const client of clients) client.close();
  return { perSecond: total / took, latenciesMs };
}
