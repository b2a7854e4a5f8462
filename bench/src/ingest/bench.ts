import type pg from 'pg';
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
const quick: Sizes = { connections: 8, calls: 50, rounds: 4, large: 0, ratioGoal: 0.65 };

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
  for (const way of bareWays) {
    const table = await findTable(admin, await service.newEventDataset());
    bare.push(bareLane(way, postgres.url, table, sizes.connections));
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
    sizes.large > 0 ? await measureLarge(sizes, admin, datasetId, http, events, rateOf(http)) : undefined;

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

/** Fills the dataset up by plain SQL, then measures again. */
async function measureLarge(
  sizes: Sizes,
  admin: pg.Client,
  datasetId: string,
  http: Lane,
  events: Generator<Event, never>,
  smallRate: number,
) {
  const { key, table } = await findTable(admin, datasetId);
  const [json] = bareWays;
  const countRows = async () => {
    const text = `SELECT count(*)::int AS count FROM ${table} WHERE dataset_key = $1`;
    return (await admin.query<{ count: number }>(text, [key])).rows[0]?.count ?? 0;
  };
  let rows = await countRows();
  while (rows < sizes.large) {
    process.stderr.write(`\rfilling the table: ${rows.toLocaleString('en')} rows `);
    for (const batch of takeBatches(events, 500)) {
      await admin.query({ name: 'fill', text: json.statement(table), values: [key, ...json.prepare(batch)] });
    }
    rows = await countRows();
  }
  process.stderr.write('\n');
  const figures = await takeTurns([http], sizes.rounds, () => takeBatches(events, sizes.calls), {});
  const rates = figures.get(http.name)?.rates ?? [];
  const slower = 1 - median(rates) / smallRate;
  return {
    goal: {
      text: `at ${rows.toLocaleString('en')} rows at most 15 % slower than up to 1 million: ${(100 * slower).toFixed(1)} %`,
      reached: slower <= 0.15,
    },
    rows: [
      { 'rows in the table': sizes.calls * sizes.rounds * eventsPerCall, 'events /s': Math.round(smallRate) },
      { 'rows in the table': rows, 'events /s': Math.round(median(rates)) },
    ],
    figures: { rows, rates },
  };
}
