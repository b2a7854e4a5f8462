import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { cpuSeconds } from '../cpu.ts';
import { runConcurrently } from '../load.ts';
import type { Service } from '../service.ts';
import { type Event, eventsPerCall } from './events.ts';
import { openConnections, type UpsertMethod } from './plain-upserts.ts';

const gzip = promisify<Buffer, Buffer>(gzipCallback);

/** One of the methods that are compared. */
export interface Method {
  readonly name: string;
  /** Prepares the batches, calls `onStart`, and sends them. Returns how long sending took, in seconds. */
  round(batches: readonly Event[][], onStart?: () => void): Promise<number>;
}

export function httpMethod(service: Service, datasetId: string, connections: number): Method {
  return {
    name: 'POST /upsert-dataset-events',
    async round(batches, onStart) {
      const bodies = await Promise.all(
        batches.map((batch) =>
          gzip(Buffer.from(JSON.stringify({ event_dataset_id: datasetId, events: batch }))),
        ),
      );
      const connection = Array.from({ length: connections }, (_, index) => index);
      onStart?.();
      return runConcurrently(bodies, connection, async (_connection, body) => {
        const path = '/upsert-dataset-events';
        const { succeed_ids } = await service.call<{ succeed_ids: string[] }>('POST', path, body, true);
        if (succeed_ids.length !== eventsPerCall) throw new Error('not every event was written');
      });
    },
  };
}

export function plainMethod(
  upsert: UpsertMethod,
  url: string,
  { key, table }: { key: number; table: string },
  connections: number,
): Method {
  return {
    name: upsert.name,
    async round(batches, onStart) {
      const parameters = batches.map((batch) => upsert.prepare(batch));
      const clients = await openConnections(url, connections);
      const text = upsert.statement(table);
      onStart?.();
      const seconds = await runConcurrently(parameters, clients, (client, values) =>
        client.query({ name: 'upsert', text, values: [key, ...values] }),
      );
      await Promise.all(clients.map((client) => client.end()));
      return seconds;
    },
  };
}

export interface MethodFigures {
  /** Events per second, by round. */
  readonly rates: number[];
  /** CPU milliseconds per 1,000 events over all rounds, by process. Null if the system does not report it. */
  readonly cpuMs: Record<string, number | null>;
}

/** Runs one round of each method in turn, so that other work on the machine affects all of them equally. */
export async function runAlternately(
  methods: readonly Method[],
  rounds: number,
  nextBatches: () => Event[][],
  pids: Readonly<Record<string, number>>,
): Promise<Map<string, MethodFigures>> {
  const figures = new Map<string, MethodFigures>(methods.map(({ name }) => [name, { rates: [], cpuMs: {} }]));
  for (let round = 0; round < rounds; round++) {
    const batches = nextBatches();
    // The first of a round finds an idle disk, so reverse the order every other round.
    for (const method of round % 2 === 0 ? methods : methods.toReversed()) {
      const { rates, cpuMs } = figures.get(method.name) ?? { rates: [], cpuMs: {} };
      let before: Record<string, number | undefined> = {};
      const seconds = await method.round(batches, () => {
        before = readCpu(pids);
      });
      const after = readCpu(pids);
      rates.push((batches.length * eventsPerCall) / seconds);
      for (const name of Object.keys(pids)) {
        const used = (after[name] ?? Number.NaN) - (before[name] ?? Number.NaN);
        const ms = (cpuMs[name] ?? 0) + (used * 1000) / (batches.length * rounds);
        cpuMs[name] = Number.isNaN(ms) ? null : ms;
      }
    }
  }
  return figures;
}

function readCpu(pids: Readonly<Record<string, number>>): Record<string, number | undefined> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuSeconds(pid)]));
}
