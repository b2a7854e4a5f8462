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
/** Asked of both processes, as by a load balancer. Its slowest answers show how long a process did nothing else. */
const probes = ['healthz-api', 'healthz-serving'] as const;
type Probe = (typeof probes)[number];

export interface VictimResult {
  readonly latenciesMs: Record<Kind, number[]>;
  readonly slowestHealthMs: number;
  /** Responses other than 200, and broken connections. */
  readonly failures: string[];
}

/** A modest load: about a tenth of what one process can serve. */
const perSecond: Record<Kind | Probe, number> = {
  recommend: 40,
  'get-project': 20,
  upsert: 20,
  'healthz-api': 25,
  'healthz-serving': 25,
};
/** More than are ever in flight, so that each call is sent on time. */
const connections = 16;

function requestOf(options: VictimOptions, kind: Kind | Probe, n: number): Buffer {
  const { headers, project_id, event_dataset_id, users } = options;
  const user_id = users[n % users.length] ?? '';
  switch (kind) {
    case 'healthz-api':
    case 'healthz-serving':
      return Buffer.from('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
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

/** Times of independent calls, in ms: a Poisson process. */
function arrivals(rate: number, seconds: number): number[] {
  const due: number[] = [];
  for (let at = 0; at < seconds * 1000; at -= (Math.log(1 - Math.random()) * 1000) / rate) due.push(at);
  return due;
}

/** An open-loop load: latency is measured from the time at which a call was due. */
async function run(
  options: VictimOptions,
  kind: Kind | Probe,
  seconds: number,
  failures: string[],
): Promise<number[]> {
  const port = kind === 'recommend' || kind === 'healthz-serving' ? options.servingPort : options.apiPort;
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const due = arrivals(perSecond[kind], seconds);
  let next = 0;
  const runConnection = async () => {
    let client = await RawClient.open(port);
    for (let n = next++; n < due.length; n = next++) {
      const dueAt = startedAt + (due[n] ?? 0);
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
  const measure = (kind: Kind | Probe) => run(options, kind, seconds, failures);
  const [measured, health] = await Promise.all([
    Promise.all(kinds.map(async (kind) => [kind, await measure(kind)] as const)),
    Promise.all(probes.map(measure)),
  ]);
  const latenciesMs = Object.fromEntries(measured) as Record<Kind, number[]>;
  return { latenciesMs, slowestHealthMs: Math.max(...health.flat()), failures };
}
