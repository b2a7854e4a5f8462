import { setTimeout as sleep } from 'node:timers/promises';
import { encodeRequest, RawClient } from '../serve/raw-client.ts';

/** Structured-cloneable. */
export interface VictimOptions {
  readonly apiPort: number;
  readonly servingPort: number;
  readonly headers: Record<string, string>;
  readonly project_id: string;
  readonly event_dataset_id: string;
  readonly users: readonly string[];
}

export const kinds = ['recommend', 'get-project', 'upsert'] as const;
export type Kind = (typeof kinds)[number];

export interface VictimResult {
  readonly latenciesMs: Record<Kind, number[]>;
  /** Responses other than 200, and broken connections. */
  readonly failures: string[];
}

/** A modest load: about a tenth of what one process can serve. */
const perSecond: Record<Kind, number> = { recommend: 40, 'get-project': 20, upsert: 20 };
/** More than are ever in flight, so that each call is sent on time. */
const connections = 16;

function requestOf(options: VictimOptions, kind: Kind, n: number): Buffer {
  const { headers, project_id, event_dataset_id, users } = options;
  const user_id = users[n % users.length] ?? '';
  switch (kind) {
    case 'recommend':
      return encodeRequest('/recommend-items-to-user', headers, { project_id, user_id, limit: 20 });
    case 'get-project': {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const path = `/get-project?project_id=${project_id}`;
      return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}\r\n`);
    }
    case 'upsert': {
      const event_id = `victim-${process.pid}-${Date.now()}-${n}`;
      const event = { event_id, user_id, item_id: `i${1 + (n % 1000)}`, ts: Date.now(), event_type: 'buy' };
      return encodeRequest('/upsert-dataset-events', headers, { event_dataset_id, events: [event] });
    }
  }
}

/** An open-loop load: latency is measured from the time at which a call was due. */
async function run(
  options: VictimOptions,
  kind: Kind,
  seconds: number,
  failures: string[],
): Promise<number[]> {
  const port = kind === 'recommend' ? options.servingPort : options.apiPort;
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const total = Math.floor(perSecond[kind] * seconds);
  let next = 0;
  const runConnection = async () => {
    let client = await RawClient.open(port);
    for (let n = next++; n < total; n = next++) {
      const dueAt = startedAt + (n * 1000) / perSecond[kind];
      await sleep(Math.max(0, dueAt - performance.now()));
      try {
        const { status, body } = await client.call(requestOf(options, kind, n));
        if (status !== 200) failures.push(`${kind} ${status} ${body.slice(0, 200)}`);
      } catch (error) {
        failures.push(`${kind} ${String(error)}`);
        client.close();
        client = await RawClient.open(port);
      }
      latenciesMs.push(performance.now() - dueAt);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, runConnection));
  return latenciesMs;
}

export async function callAsVictim(options: VictimOptions, seconds: number): Promise<VictimResult> {
  const failures: string[] = [];
  const measured = await Promise.all(
    kinds.map(async (kind) => [kind, await run(options, kind, seconds, failures)] as const),
  );
  return { latenciesMs: Object.fromEntries(measured) as Record<Kind, number[]>, failures };
}
