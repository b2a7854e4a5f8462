import { setTimeout as sleep } from 'node:timers/promises';
import { RawClient, type RawResponse } from './raw-client.ts';

export interface Target {
  readonly port: number;
  /** The bytes of the n-th call. */
  readonly request: (n: number) => Buffer;
}

export interface Load {
  readonly perSecond: number;
  readonly latenciesMs: number[];
  /** Unexpected responses, by status and code. They are not in `latenciesMs`. */
  readonly errors: Readonly<Record<string, number>>;
}

/** The status and code of an unexpected response. */
export const errorKind = ({ status, body }: RawResponse) =>
  `${status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? 'without a code'}`;

/** Counts unexpected responses, so that a single one among thousands does not end the benchmark. */
class ErrorCounts {
  readonly #allowed: readonly number[];
  readonly counts: Record<string, number> = {};

  constructor(allowed: readonly number[] = [200]) {
    this.#allowed = allowed;
  }

  /** Whether the response has an expected status. */
  check({ status, body }: RawResponse): boolean {
    if (this.#allowed.includes(status)) return true;
    const kind = errorKind({ status, body });
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    return false;
  }
}

/** Maximum load (closed loop): each connection sends its next call as soon as it has a response. */
export async function flood({ port, request }: Target, connections: number, seconds: number): Promise<Load> {
  const clients = await Promise.all(Array.from({ length: connections }, () => RawClient.open(port)));
  const latenciesMs: number[] = [];
  const errors = new ErrorCounts();
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        const sentAt = performance.now();
        if (errors.check(await client.call(request(next++)))) latenciesMs.push(performance.now() - sentAt);
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1000;
  for (const client of clients) client.close();
  return { perSecond: latenciesMs.length / took, latenciesMs, errors: errors.counts };
}

/**
 * A steady rate (open loop): latency is measured from the time at which a call was due, so that calls delayed by a slow
 * server count too.
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
  const errors = new ErrorCounts(allowed);
  const startedAt = performance.now();
  const total = Math.floor(perSecond * seconds);
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (let n = next++; n < total; n = next++) {
        const dueAt = startedAt + (n * 1000) / perSecond;
        const waitMs = dueAt - performance.now();
        if (waitMs > 1) await sleep(waitMs);
        if (errors.check(await client.call(request(n))))
          latenciesMs.push(performance.now() - Math.max(dueAt, startedAt));
      }
    }),
  );
  const took = (performance.now() - startedAt) / 1000;
  for (const client of clients) client.close();
  return { perSecond: total / took, latenciesMs, errors: errors.counts };
}
