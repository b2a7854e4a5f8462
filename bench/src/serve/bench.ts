import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { residentBytes } from '../process-memory.ts';
import { type Goal, percentile, type Report } from '../report.ts';
import type { Service } from '../service.ts';
import { type Setting, withSetting } from '../setting.ts';
import { flood, pace, type Target } from './load.ts';
import { type Prepared, prepareMovieLens, prepareShop } from './prepare.ts';
import { encodeRequest, RawClient } from './raw-client.ts';

interface Sizes {
  readonly shop: { users: number; items: number; events: number };
  readonly withMovieLens: boolean;
  readonly seconds: number;
  readonly rounds: number;
  readonly ratioGoal: number;
  readonly p99Goal: number;
}

const full: Sizes = {
  shop: { users: 1_000_000, items: 200_000, events: 6_000_000 },
  ...{ withMovieLens: true, seconds: 5, rounds: 4, ratioGoal: 0.7, p99Goal: 10 },
};
// Neighbours on the machine, and code that is hardly warm: the gate is lower than the goal.
const quick: Sizes = {
  shop: { users: 20_000, items: 4000, events: 200_000 },
  ...{ withMovieLens: false, seconds: 2, rounds: 3, ratioGoal: 0.4, p99Goal: 100 },
};

const connections = 32;
const limit = 20;
/** With so little, models are loaded when they are asked for, not at the start. */
const leastMemoryMb = '16';
const mostLoadingMs = 30_000;
const memoryGoal = 2;
/** What a process takes for its first call, whatever the model, is more than this. */
const smallFileBytes = 20e6;

/**
 * The recommendation call of one serving process, beside bare Fastify that answers the same JSON from memory, and one that
 * makes just the reads nobody can do without. In turns, in one run, from one client.
 */
export async function benchServe(isQuick: boolean): Promise<Report> {
  const sizes = isQuick ? quick : full;
  return withSetting((setting) => measureAll(sizes, setting), 'all-in-one');
}

async function measureAll(sizes: Sizes, setting: Setting): Promise<Report> {
  const { service, admin } = setting;
  const prepared = [
    ...(sizes.withMovieLens ? [await prepareMovieLens(service)] : []),
    await prepareShop(service, admin, sizes.shop),
  ];
  const measured = [];
  for (const each of prepared) measured.push(await measure(sizes, setting, each));
  return {
    bench: 'serve',
    tables: [
      ...measured.map(({ title, rows }) => ({ title, rows })),
      {
        title: 'What a serving process grows by when it loads a project (small ones are lost in its noise)',
        rows: measured.map(({ memory }) => memory),
      },
    ],
    goals: measured.flatMap(({ goals }) => goals),
    figures: Object.fromEntries(measured.map(({ title, figures }) => [title, figures])),
  };
}

async function measure(sizes: Sizes, { service: cell, admin, postgres }: Setting, prepared: Prepared) {
  await using service = await cell.startAnother('serving');
  const { project_id, users, attributes, filter, name } = prepared;
  const path = '/recommend-items-to-user';
  const headers = await service.headersFor(path);
  const body = (n: number) => ({ user_id: users[n % users.length], limit, attributes });
  const target = (fields: object = {}): Target => ({
    port: service.port,
    request: (n) => encodeRequest(path, headers, { ...body(n), project_id, ...fields }),
  });
  const answer = await callOnce(target());

  await using bare = await startBare(postgres.url, await placesOf(admin, project_id), answer);
  const bareTarget = (route: string): Target => ({
    port: bare.port,
    request: (n) => encodeRequest(route, {}, body(n)),
  });
  const ways: Record<string, Target> = {
    'the service': target(),
    'with a filter': target({ filter_query: filter }),
    'bare, from memory': bareTarget('/static'),
    'bare, reads only': bareTarget('/reads'),
  };
  const rates = new Map<string, number[]>();
  const latencies = new Map<string, number[]>();
  for (const way of Object.values(ways)) await flood(way, connections, Math.min(2, sizes.seconds));
  for (let round = 0; round < sizes.rounds; round++)
    for (const [way, to] of Object.entries(ways)) {
      const { perSecond, latenciesMs } = await flood(to, connections, sizes.seconds);
      rates.set(way, [...(rates.get(way) ?? []), perSecond]);
      latencies.set(way, [...(latencies.get(way) ?? []), ...latenciesMs]);
    }
  const rateOf = (way: string) => percentile(rates.get(way) ?? [], 50);
  const halfRate = rateOf('the service') / 2;
  const half = await pace(target(), halfRate, connections, sizes.seconds * 2);
  // What of a slow answer is the machine's: the same rate, with nothing but the reads.
  const bareHalf = await pace(bareTarget('/reads'), halfRate, connections, sizes.seconds * 2);
  const ratio = rateOf('the service') / rateOf('bare, reads only');
  const p99 = percentile(half.latenciesMs, 99);
  const { rows: files } = await admin.query<{ size: string }>(
    'SELECT object_size AS size FROM models JOIN projects USING (project_key) WHERE project_id = $1',
    [project_id],
  );
  const fileBytes = Number(files[0]?.size ?? 0);
  const memory = await loadedBytes(cell, target());
  const goals: Goal[] = [
    {
      text: `${name}: at least ${sizes.ratioGoal} of bare reads: ${ratio.toFixed(2)}`,
      reached: ratio >= sizes.ratioGoal,
    },
    {
      text: `${name}: p99 at half of that load under ${sizes.p99Goal} ms: ${p99.toFixed(1)}`,
      reached: p99 < sizes.p99Goal,
    },
    ...(fileBytes > smallFileBytes
      ? [
          {
            text: `${name}: memory at most ${memoryGoal} times the model's file: ${(memory / fileBytes).toFixed(2)}`,
            reached: memory <= memoryGoal * fileBytes,
          },
        ]
      : []),
  ];
  return {
    title: `${name}: limit ${limit}, ${attributes.length} attributes, ${connections} connections, one process`,
    rows: [
      ...Object.keys(ways).map((way) => ({
        way,
        'calls/s': Math.round(rateOf(way)),
        'p50 ms': percentile(latencies.get(way) ?? [], 50),
        'p99 ms': percentile(latencies.get(way) ?? [], 99),
        'of bare reads': rateOf(way) / rateOf('bare, reads only'),
      })),
      ...Object.entries({ 'the service, half load': half, 'bare reads, that load': bareHalf }).map(
        ([way, { perSecond, latenciesMs }]) => ({
          way,
          'calls/s': Math.round(perSecond),
          'p50 ms': percentile(latenciesMs, 50),
          'p99 ms': percentile(latenciesMs, 99),
          'of bare reads': perSecond / rateOf('bare, reads only'),
        }),
      ),
    ],
    memory: {
      model: name,
      'file MB': fileBytes / 1e6,
      'memory MB': memory / 1e6,
    },
    goals,
    figures: { ratio, p99, memory, fileBytes, rates: Object.fromEntries(rates) },
  };
}

/** Where the project's records are, and ids of items to read. */
async function placesOf(admin: Setting['admin'], projectId: string) {
  const { rows } = await admin.query<{ key: number; partition: number; kind: string }>(
    `SELECT d.dataset_key AS key, d.partition, d.kind FROM projects p
      JOIN datasets d ON d.dataset_key IN (p.user_dataset_key, p.item_dataset_key, p.event_dataset_key)
      WHERE p.project_id = $1`,
    [projectId],
  );
  const place = (kind: string) => {
    const { key = 0, partition = 0 } = rows.find((row) => row.kind === kind) ?? {};
    return { key, table: `${kind}s_p${String(partition).padStart(2, '0')}` };
  };
  const items = place('item');
  const some = `SELECT item_id FROM ${items.table} WHERE dataset_key = $1 ORDER BY hashtext(item_id) LIMIT 2000`;
  const { rows: ids } = await admin.query<{ item_id: string }>(some, [items.key]);
  return { users: place('user'), items, events: place('event'), ids: ids.map(({ item_id }) => item_id) };
}

async function startBare(databaseUrl: string, places: object, answer: string) {
  const script = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
  const args = ['--max-semi-space-size=64', script, databaseUrl, JSON.stringify(places), answer];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    port: Number(line),
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** What a process that has loaded nothing grows by when it is first asked. */
async function loadedBytes(cell: Service, target: Target): Promise<number> {
  await using service = await cell.startAnother('serving', { SERVING_MEMORY_MB: leastMemoryMb });
  const before = await residentBytes(service.pid);
  await callOnce({ ...target, port: service.port });
  return (await residentBytes(service.pid)) - before;
}

/** As often as it takes: a large model is not loaded within the time of the call that asks for it first. */
async function callOnce({ port, request }: Target): Promise<string> {
  const client = await RawClient.open(port);
  try {
    for (const end = performance.now() + mostLoadingMs; ; ) {
      const { body, status } = await client.call(request(0));
      if (status === 200) return body;
      if (status !== 503 || performance.now() > end) throw new Error(body);
      await sleep(100);
    }
  } finally {
    client.close();
  }
}
