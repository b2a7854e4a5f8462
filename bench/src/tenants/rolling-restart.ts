import { setTimeout as sleep } from 'node:timers/promises';
import { errorKind } from '../serve/load.ts';
import { RawClient } from '../serve/raw-client.ts';
import type { Service } from '../service.ts';

export interface RestartResult {
  readonly calls: number;
  readonly latenciesMs: readonly number[];
  /** By status and code, or the message of the connection's error. */
  readonly failures: Readonly<Record<string, number>>;
  readonly degraded: number;
  /** How long each new process took until it was ready. */
  readonly startSeconds: readonly number[];
}

/** How long a load balancer takes to stop sending to a process, before the process is told to stop. */
const drainMs = 500;
/** Time between the steps, so that each state gets calls. */
const settleMs = 1000;

/**
 * Replaces two serving processes one after the other, during calls: starts a new one, sends calls there once it is ready, takes the old one
 * out, and stops it. The caller does what a load balancer does; it repeats no call.
 */
export async function restartDuringCalls(
  start: () => Promise<Service>,
  request: (n: number) => Buffer,
  { perSecond, connections }: { readonly perSecond: number; readonly connections: number },
): Promise<RestartResult> {
  const fleet = [await start(), await start()];
  const startSeconds: number[] = [];
  const state = { isOver: false };
  const calling = callSteadily(() => fleet, request, { perSecond, connections, isOver: () => state.isOver });
  try {
    await sleep(settleMs);
    for (let place = 0; place < 2; place++) {
      const startedAt = performance.now();
      const next = await start();
      startSeconds.push((performance.now() - startedAt) / 1000);
      const [old] = fleet.splice(0, 1);
      fleet.push(next);
      await sleep(drainMs);
      await old?.[Symbol.asyncDispose]();
      await sleep(settleMs);
    }
  } finally {
    state.isOver = true;
    await calling;
    await Promise.all(fleet.map((each) => each[Symbol.asyncDispose]()));
  }
  return { ...(await calling), startSeconds };
}

interface Steady {
  readonly perSecond: number;
  readonly connections: number;
  readonly isOver: () => boolean;
}

async function callSteadily(
  fleet: () => readonly Service[],
  request: (n: number) => Buffer,
  { perSecond, connections, isOver }: Steady,
): Promise<Omit<RestartResult, 'startSeconds'>> {
  const latenciesMs: number[] = [];
  const failures: Record<string, number> = {};
  let degraded = 0;
  let next = 0;
  const startedAt = performance.now();
  const fail = (kind: string) => {
    failures[kind] = (failures[kind] ?? 0) + 1;
  };
  const lane = async (place: number) => {
    let open: { readonly client: RawClient; readonly port: number } | undefined;
    while (!isOver()) {
      const n = next++;
      const dueAt = startedAt + (n * 1000) / perSecond;
      await sleep(Math.max(0, dueAt - performance.now()));
      const processes = fleet();
      const port = processes[place % processes.length]?.port ?? 0;
      const sentAt = performance.now();
      try {
        if (open?.port !== port) {
          open?.client.close();
          open = { client: await RawClient.open(port), port };
        }
        const response = await open.client.call(request(n));
        if (response.status !== 200) fail(errorKind(response));
        else if (/"degraded":\[[^\]]/.test(response.body)) degraded++;
        latenciesMs.push(performance.now() - sentAt);
      } catch (error) {
        fail((error as Error).message);
        open?.client.close();
        open = undefined;
      }
    }
    open?.client.close();
  };
  await Promise.all(Array.from({ length: connections }, (_, place) => lane(place)));
  return { calls: next, latenciesMs, failures, degraded };
}
