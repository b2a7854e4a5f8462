import { probe } from '../load.ts';
import { type Goal, median, percentile, type Report } from '../report.ts';
import type { Service } from '../service.ts';
import { type Setting, withSetting } from '../setting.ts';
import { bareWays, findTable } from './bare.ts';
import { type Event, eventsPerCall, makeEvents, takeBatches } from './events.ts';
import { bareLane, httpLane, type Lane, takeTurns } from './lanes.ts';

interface Sizes {
  readonly connections: number;
  /** Calls in a round, and rounds: together the events of the first goal. */
  readonly calls: number;
  readonly rounds: number;
  /** Rows in the table for the second goal. */
  readonly large: number;
  readonly ratioGoal: number;
}

const full: Sizes = { connections: 8, calls: 125, rounds: 8, large: 10_000_000, ratioGoal: 0.8 };
// 200,000 events, and neighbours on the machine, say less: the gate is lower than the goal.
const quick: Sizes = { connections: 8, calls: 50, rounds: 4, large: 0, ratioGoal: 0.6 };

/**
 * Events a second through POST /upsert-dataset-events (gzip, token, validation, 1000 a call, one api process)
 * beside the best bare upsert by as many connections into an identical table with the same indexes.
 */
export async function benchIngest(isQuick: boolean): Promise<Report> {
  return withSetting((setting) => measure(isQuick ? quick : full, setting));
}

async function measure(sizes: Sizes, setting: Setting): Promise<Report> {
  const { postgres, service, admin } = setting;
  const events = makeEvents(1);
  const datasetId = await service.newEventDataset();
  const http = httpLane(service, datasetId, sizes.connections);
  const bare: Lane[] = [];
  const bareIds: string[] = [];
  for (const way of bareWays) {
    const id = await service.newEventDataset();
    bareIds.push(id);
    bare.push(bareLane(way, postgres.url, await findTable(admin, id), sizes.connections));
  }
  await http.round(takeBatches(makeEvents(2), 20)); // Warm: compiled code, open connections.

  const pids = { api: service.pid, postgresql: postgres.pid };
  const figures = await takeTurns(
    [http, ...bare],
    sizes.rounds,
    () => takeBatches(events, sizes.calls),
    pids,
  );
  const rateOf = (lane: Lane) => median(figures.get(lane.name)?.rates ?? []);
  const bestBare = Math.max(...bare.map(rateOf));
  const ratio = rateOf(http) / bestBare;
  const latency = await latencyUnderLoad(service, datasetId, http, takeBatches(events, sizes.calls));
  const growth =
    sizes.large > 0 ? await measureLarge(sizes, setting, bareIds[0] ?? '', datasetId, events) : undefined;

  const goals: Goal[] = [
    {
      text: `ratio to the best bare upsert at least ${sizes.ratioGoal}: ${ratio.toFixed(3)}`,
      reached: ratio >= sizes.ratioGoal,
    },
    ...(growth ? [growth.goal] : []),
  ];
  const roundEvents = (sizes.calls * eventsPerCall).toLocaleString('en');
  return {
    bench: 'ingest',
    tables: [
      {
        title: `Events a second: ${sizes.rounds} rounds of ${roundEvents} events, ${sizes.connections} connections`,
        rows: [...figures].map(([way, { rates, cpuMs }]) => ({
          way,
          'median /s': Math.round(median(rates)),
          'min /s': Math.round(Math.min(...rates)),
          'max /s': Math.round(Math.max(...rates)),
          'of best bare': median(rates) / bestBare,
          'api CPU ms/1000': cpuMs['api'] ?? '-',
          'PostgreSQL CPU ms/1000': cpuMs['postgresql'] ?? '-',
        })),
      },
      ...(growth ? [{ title: 'As the table grows', rows: growth.rows }] : []),
      { title: 'One single-event call under that load, ms', rows: [latency] },
    ],
    goals,
    figures: {
      ways: Object.fromEntries(figures),
      ratio,
      latency_ms: latency,
      large: growth?.figures ?? null,
    },
  };
}

async function latencyUnderLoad(
  service: Service,
  datasetId: string,
  http: Lane,
  batches: readonly Event[][],
) {
  const single = makeEvents(3);
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

/**
 * Fills a dataset up by plain SQL, then lets it take turns with one that has a million rows: what the machine does
 * otherwise, an hour later or hotter, falls on both alike.
 */
async function measureLarge(
  sizes: Sizes,
  { postgres, service, admin }: Setting,
  smallId: string,
  largeId: string,
  events: Generator<Event, never>,
) {
  const place = await findTable(admin, largeId);
  const filling = bareLane(bareWays[0], postgres.url, place, sizes.connections);
  const countRows = async ({ key, table }: { key: number; table: string }) => {
    const text = `SELECT count(*)::int AS count FROM ${table} WHERE dataset_key = $1`;
    return (await admin.query<{ count: number }>(text, [key])).rows[0]?.count ?? 0;
  };
  let rows = await countRows(place);
  while (rows < sizes.large) {
    process.stderr.write(`filling the table: ${rows.toLocaleString('en')} rows\n`);
    await filling.round(takeBatches(events, 1000));
    rows = await countRows(place);
  }
  // As autovacuum would, in its own time; it is to have nothing left to do while we measure.
  await admin.query(`VACUUM (ANALYZE) ${place.table}`);
  const smallRows = await countRows(await findTable(admin, smallId));
  const small = { ...httpLane(service, smallId, sizes.connections), name: smallRows.toLocaleString('en') };
  const large = { ...httpLane(service, largeId, sizes.connections), name: rows.toLocaleString('en') };
  const pids = { api: service.pid, postgresql: postgres.pid };
  const figures = await takeTurns([small, large], sizes.rounds, () => takeBatches(events, sizes.calls), pids);
  const rateOf = ({ name }: Lane) => median(figures.get(name)?.rates ?? []);
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
