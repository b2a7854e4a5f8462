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

/**
 * Runs `lane` on each connection, with a function that sends the n-th call and notes how long it took since a time. Counts unexpected
 * responses, so that a single one among thousands does not end the benchmark.
 */
async function measureLoad(
  { port, request }: Target,
  connections: number,
  allowed: readonly number[],
  lane: (call: (n: number, since: number) => Promise<void>, startedAt: number) => Promise<void>,
) {
  const clients = await Promise.all(Array.from({ length: connections }, () => RawClient.open(port)));
  const latenciesMs: number[] = [];
  const errors: Record<string, number> = {};
  const startedAt = performance.now();
  const callWith = (client: RawClient) => async (n: number, since: number) => {
    const response = await client.call(request(n));
    if (allowed.includes(response.status)) latenciesMs.push(performance.now() - since);
    else errors[errorKind(response)] = (errors[errorKind(response)] ?? 0) + 1;
  };
  await Promise.all(clients.map((client) => lane(callWith(client), startedAt)));
  const took = (performance.now() - startedAt) / 1000;
  for (const client of clients) client.close();
  return { took, latenciesMs, errors };
}

/** Maximum load (closed loop): each connection sends its next call as soon as it has a response. */
export async function flood(target: Target, connections: number, seconds: number): Promise<Load> {
  let next = 0;
  const { took, latenciesMs, errors } = await measureLoad(
    target,
    connections,
    [200],
    async (call, startedAt) => {
      while (performance.now() < startedAt + seconds * 1000) await call(next++, performance.now());
    },
  );
  return { perSecond: latenciesMs.length / took, latenciesMs, errors };
}

/** A steady rate (open loop). Latency counts from when a call was due, so calls delayed by a slow server count too. */
export async function pace(
  target: Target,
  perSecond: number,
  connections: number,
  seconds: number,
  allowed: readonly number[] = [200],
): Promise<Load> {
  const total = Math.floor(perSecond * seconds);
  let next = 0;
  const { took, latenciesMs, errors } = await measureLoad(
    target,
    connections,
    allowed,
    async (call, startedAt) => {
      for (let n = next++; n < total; n = next++) {
        const dueAt = startedAt + (n * 1000) / perSecond;
        const waitMs = dueAt - performance.now();
        if (waitMs > 1) await sleep(waitMs);
        await call(n, dueAt);
      }
    },
  );
  return { perSecond: total / took, latenciesMs, errors };
}
