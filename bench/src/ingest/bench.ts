import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { probe } from '../load.ts';
import { type Goal, median, percentile, type Report } from '../report.ts';
import type { Service } from '../service.ts';
import { type Event, eventsPerCall, generateEvents, takeBatches } from './events.ts';
import { httpMethod, type Method, plainMethod, runAlternately } from './methods.ts';
import { findTable, plainUpserts } from './plain-upserts.ts';

interface Sizes {
  readonly connections: number;
  /** Calls per round. */
  readonly calls: number;
  readonly rounds: number;
  /** Rows in the large table; 0 skips the comparison. */
  readonly large: number;
  readonly ratioGoal: number;
}

const full: Sizes = { connections: 8, calls: 125, rounds: 8, large: 10_000_000, ratioGoal: 0.8 };
// The goal is lower: 200,000 events on a machine with other work give noisy results.
const quick: Sizes = { connections: 8, calls: 50, rounds: 4, large: 0, ratioGoal: 0.6 };

/**
 * Events per second through POST /upsert-dataset-events (gzip, token, validation, 1,000 per call, one api process), compared
 * with the fastest plain upsert over the same number of connections into an identical table with the same indexes.
 */
export async function benchIngest(isQuick: boolean): Promise<Report> {
  return withEnvironment((setting) => measure(isQuick ? quick : full, setting));
}

async function measure(sizes: Sizes, setting: BenchEnvironment): Promise<Report> {
  const { postgres, service, admin } = setting;
  const events = generateEvents(1);
  const datasetId = await service.newEventDataset();
  const http = httpMethod(service, datasetId, sizes.connections);
  const plain: Method[] = [];
  const plainIds: string[] = [];
  for (const upsert of plainUpserts) {
    const id = await service.newEventDataset();
    plainIds.push(id);
    plain.push(plainMethod(upsert, postgres.url, await findTable(admin, id), sizes.connections));
  }
  await http.round(takeBatches(generateEvents(2), 20)); // Warm-up: compiles code, opens connections.

  const pids = { api: service.pid, postgresql: postgres.pid };
  const figures = await runAlternately(
    [http, ...plain],
    sizes.rounds,
    () => takeBatches(events, sizes.calls),
    pids,
  );
  const rateOf = (lane: Method) => median(figures.get(lane.name)?.rates ?? []);
  const bestPlain = Math.max(...plain.map(rateOf));
  const ratio = rateOf(http) / bestPlain;
  const disk = await bytesPerEvent(admin);
  const latency = await latencyUnderLoad(service, datasetId, http, takeBatches(events, sizes.calls));
  const growth =
    sizes.large > 0 ? await measureLarge(sizes, setting, plainIds[0] ?? '', datasetId, events) : undefined;

  const goals: Goal[] = [
    {
      text: `at least ${sizes.ratioGoal} times the rate of the fastest plain upsert: ${ratio.toFixed(3)}`,
      reached: ratio >= sizes.ratioGoal,
    },
    ...(growth ? [growth.goal] : []),
  ];
  const roundEvents = (sizes.calls * eventsPerCall).toLocaleString('en');
  return {
    bench: 'ingest',
    tables: [
      {
        title: `Events per second: ${sizes.rounds} rounds of ${roundEvents} events, ${sizes.connections} connections`,
        rows: [...figures].map(([method, { rates, cpuMs }]) => ({
          method,
          'median /s': Math.round(median(rates)),
          'min /s': Math.round(Math.min(...rates)),
          'max /s': Math.round(Math.max(...rates)),
          'of fastest plain': median(rates) / bestPlain,
          'api CPU ms/1000': cpuMs['api'] ?? '-',
          'PostgreSQL CPU ms/1000': cpuMs['postgresql'] ?? '-',
        })),
      },
      ...(growth ? [{ title: 'As the table grows', rows: growth.rows }] : []),
      { title: 'Bytes of disk per event, all methods together', rows: [disk] },
      { title: 'Latency of single-event calls under this load, ms', rows: [latency] },
    ],
    goals,
    figures: {
      methods: Object.fromEntries(figures),
      ratio,
      bytes_per_event: disk,
      latency_ms: latency,
      large: growth?.figures ?? null,
    },
  };
}

async function latencyUnderLoad(
  service: Service,
  datasetId: string,
  http: Method,
  batches: readonly Event[][],
) {
  const single = generateEvents(3);
  const loadEnds = new AbortController();
  const probing = probe(
    async () => {
      const body = JSON.stringify({ event_dataset_id: datasetId, events: [single.next().value] });
      await service.call('POST', '/upsert-dataset-events', body);
    },
    5,
    loadEnds.signal,
  );
  await http.round(batches);
  loadEnds.abort();
  const latencies = await probing;
  const [p50, p99] = [percentile(latencies, 50), percentile(latencies, 99)];
  return { calls: latencies.length, p50, p99, max: Math.max(...latencies) };
}

/** Bytes that an event takes, on average over all that were written: its row, its index entries, and the log of both. */
async function bytesPerEvent(admin: BenchEnvironment['admin']) {
  const text = `SELECT sum(pg_table_size(oid))::float8 / sum(reltuples) AS row,
      sum(pg_indexes_size(oid))::float8 / sum(reltuples) AS indexes,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 / sum(reltuples) AS log
    FROM pg_class WHERE relkind = 'r' AND relname ~ '^events_p[0-9]+$' AND reltuples > 0`;
  await admin.query('ANALYZE events');
  const { rows } = await admin.query<{ row: number; indexes: number; log: number }>(text);
  return rows[0] ?? { row: 0, indexes: 0, log: 0 };
}

/** Fills a dataset by plain SQL, then alternates with one of a million rows, so that other work affects both equally. */
async function measureLarge(
  sizes: Sizes,
  { postgres, service, admin }: BenchEnvironment,
  smallId: string,
  largeId: string,
  events: Generator<Event, never>,
) {
  const largeTable = await findTable(admin, largeId);
  const filling = plainMethod(plainUpserts[0], postgres.url, largeTable, sizes.connections);
  const countRows = async ({ key, table }: { key: number; table: string }) => {
    const text = `SELECT count(*)::int AS count FROM ${table} WHERE dataset_key = $1`;
    return (await admin.query<{ count: number }>(text, [key])).rows[0]?.count ?? 0;
  };
  let rows = await countRows(largeTable);
  while (rows < sizes.large) {
    process.stderr.write(`filling the table: ${rows.toLocaleString('en')} rows\n`);
    await filling.round(takeBatches(events, 1000));
    rows = await countRows(largeTable);
  }
  // So that autovacuum has nothing left to do during the measurement.
  await admin.query(`VACUUM (ANALYZE) ${largeTable.table}`);
  const smallRows = await countRows(await findTable(admin, smallId));
  const small = { ...httpMethod(service, smallId, sizes.connections), name: smallRows.toLocaleString('en') };
  const large = { ...httpMethod(service, largeId, sizes.connections), name: rows.toLocaleString('en') };
  const pids = { api: service.pid, postgresql: postgres.pid };
  const figures = await runAlternately(
    [small, large],
    sizes.rounds,
    () => takeBatches(events, sizes.calls),
    pids,
  );
  const rateOf = ({ name }: Method) => median(figures.get(name)?.rates ?? []);
  const slower = 1 - rateOf(large) / rateOf(small);
  return {
    goal: {
      text: `with ${large.name} rows at most 15 % slower than with ${small.name}: ${(100 * slower).toFixed(1)} %`,
      reached: slower <= 0.15,
    },
    rows: [...figures].map(([name, { rates, cpuMs }]) => ({
      'rows in the table': name,
      'median /s': Math.round(median(rates)),
      'api CPU ms/1000': cpuMs['api'] ?? '-',
      'PostgreSQL CPU ms/1000': cpuMs['postgresql'] ?? '-',
    })),
    figures: Object.fromEntries(figures),
  };
}
