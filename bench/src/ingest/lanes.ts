import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { cpuSeconds } from '../cpu.ts';
import { drain } from '../load.ts';
import type { Service } from '../service.ts';
import { type BareWay, openConnections } from './bare.ts';
import { type Event, eventsPerCall } from './events.ts';

const gzip = promisify<Buffer, Buffer>(gzipCallback);

/** One of the ways that are measured side by side. */
export interface Lane {
  readonly name: string;
  /** Makes what is to be sent, then sends it; answers the seconds of the sending. */
  round(batches: readonly Event[][], onStart?: () => void): Promise<number>;
}

export function httpLane(service: Service, datasetId: string, connections: number): Lane {
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
      return drain(bodies, connection, async (_connection, body) => {
        const path = '/upsert-dataset-events';
        const { succeed_ids } = await service.call<{ succeed_ids: string[] }>('POST', path, body, true);
        if (succeed_ids.length !== eventsPerCall) throw new Error('not every event was taken');
      });
    },
  };
}

export function bareLane(
  way: BareWay,
  url: string,
  { key, table }: { key: number; table: string },
  connections: number,
): Lane {
  return {
    name: way.name,
    async round(batches, onStart) {
      const works = batches.map((batch) => way.prepare(batch));
      const clients = await openConnections(url, connections);
      const text = way.statement(table);
      onStart?.();
      const seconds = await drain(works, clients, (client, values) =>
        client.query({ name: 'upsert', text, values: [key, ...values] }),
      );
      await Promise.all(clients.map((client) => client.end()));
      return seconds;
    },
  };
}

export interface LaneFigures {
  /** Events a second, a round each. */
  readonly rates: number[];
  /** Processor milliseconds for a thousand events, all rounds together; null where the system does not tell. */
  readonly cpuMs: Record<string, number | null>;
}

/** Lets the lanes take turns, a round each, so that what else the machine does falls on all alike. */
export async function takeTurns(
  lanes: readonly Lane[],
  rounds: number,
  nextBatches: () => Event[][],
  pids: Readonly<Record<string, number>>,
): Promise<Map<string, LaneFigures>> {
  const figures = new Map<string, LaneFigures>(lanes.map(({ name }) => [name, { rates: [], cpuMs: {} }]));
  for (let round = 0; round < rounds; round++) {
    const batches = nextBatches();
    // Whoever goes first finds the disk quieter: take turns at that too.
    for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) {
      const { rates, cpuMs } = figures.get(lane.name) ?? { rates: [], cpuMs: {} };
      let before: Record<string, number | undefined> = {};
      const seconds = await lane.round(batches, () => {
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
