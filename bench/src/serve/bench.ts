import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cpuSeconds } from '../cpu.ts';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { residentBytes } from '../process-memory.ts';
import { type Goal, percentile, type Report } from '../report.ts';
import type { Service } from '../service.ts';
import { callUntilLoaded } from './call-until-loaded.ts';
import { measureLateCost } from './late-cost.ts';
import { flood, type Load, pace, type Target } from './load.ts';
import { measureLogCost } from './log-cost.ts';
import { measureLowRankCost } from './low-rank-cost.ts';
import { type Prepared, prepareMovieLens, prepareShop } from './prepare.ts';
import { encodeRequest } from './raw-client.ts';
import { recommendRequests } from './recommend-requests.ts';

interface Sizes {
  readonly shop: { users: number; items: number; events: number };
  readonly withMovieLens: boolean;
  readonly seconds: number;
  readonly rounds: number;
  readonly ratioGoal: number;
  readonly p99Goal: number;
  /** What noise may take from the rates that are compared. */
  readonly questionTolerance: number;
  /** With and without the decision log. */
  readonly log: { readonly seconds: number; readonly pairs: number; readonly goal?: number };
  /** With and without items that were added after the training. */
  readonly late: { readonly seconds: number; readonly pairs: number; readonly goal?: number };
  /** With and without a low-rank part. */
  readonly lowRank: {
    readonly rank: number;
    readonly seconds: number;
    readonly pairs: number;
    readonly goal?: number;
  };
}

const full: Sizes = {
  shop: { users: 1_000_000, items: 200_000, events: 6_000_000 },
  withMovieLens: true,
  seconds: 5,
  rounds: 4,
  ratioGoal: 0.7,
  p99Goal: 10,
  questionTolerance: 0.95,
  log: { seconds: 2, pairs: 16, goal: 0.95 },
  late: { seconds: 2, pairs: 16, goal: 0.9 },
  // The highest rank that a model of so many items can have.
  lowRank: { rank: 128, seconds: 2, pairs: 16, goal: 0.9 },
};
// The goal is lower: short rounds on a machine with other work, with code that is hardly warmed up.
const quick: Sizes = {
  shop: { users: 20_000, items: 4000, events: 200_000 },
  withMovieLens: false,
  seconds: 1,
  rounds: 3,
  ratioGoal: 0.4,
  p99Goal: 100,
  questionTolerance: 0.6,
  // No goal: on a busy machine, the ratio of short rounds is mostly noise.
  log: { seconds: 1, pairs: 6 },
  late: { seconds: 1, pairs: 6 },
  lowRank: { rank: 512, seconds: 1, pairs: 6 },
};

const connections = 32;
const limit = 20;
/** The minimum: models are then loaded on the first call instead of at startup. */
const minMemoryMb = '16';
const paths = [
  '/recommend-items-to-user',
  '/recommend-items-to-item',
  '/rank-items-for-user',
  '/recommend-popular-items',
] as const;
/** A page of search results to reorder. */
const rankedItems = 100;
/** The questions that must be answered at the rate of recommendations to a user. */
const asFast = [
  'similar items',
  `ranking of ${limit}`,
  `ranking of ${rankedItems}, IDs only`,
  'popular items',
];
/** These may cost 15 %. */
const rules = ['with boosts', 'with diversity', 'with context items'];
const ruleGoal = 0.85;
const memoryGoal = 2;
/** Below this size, the memory of a process's first call outweighs that of the model. */
const smallFileBytes = 20e6;

/**
 * The recommendation call of one serving process, compared with bare Fastify that returns the same JSON from memory, and with
 * one that makes only the unavoidable database reads. The cases alternate in one run, with one client.
 */
export async function benchServe(isQuick: boolean, parts: readonly string[]): Promise<Report> {
  const sizes = isQuick ? quick : full;
  const measureParts = (setting: BenchEnvironment) => {
    if (parts.includes('log')) return measureLog(sizes, setting);
    if (parts.includes('low-rank')) return measureLowRank(sizes, setting);
    return parts.includes('new-items') ? measureLate(sizes, setting) : measureAll(sizes, setting);
  };
  return withEnvironment(measureParts, 'all-in-one');
}

/** The part `new-items`: what items cost that were added after the training, a fifth of the catalogue. */
async function measureLate({ shop, late }: Sizes, { service, admin }: BenchEnvironment): Promise<Report> {
  const prepare = () => prepareShop(service, admin, shop, { attributeWeight: 1 });
  const shops = { plain: await prepare(), grown: await prepare() };
  const count = Math.round(shop.items / 5);
  const { table, goals, figures } = await measureLateCost(service, shops, {
    connections,
    limit,
    late: count,
    ...late,
  });
  return { bench: 'serve', tables: [table], goals, figures };
}

/** The part `low-rank`: what the low-rank part of a model costs. */
async function measureLowRank({ shop, lowRank }: Sizes, setting: BenchEnvironment): Promise<Report> {
  const { service, admin } = setting;
  const prepare = () => prepareShop(service, admin, shop);
  const shops = { plain: await prepare(), factored: await prepare() };
  const { table, goals, figures } = await measureLowRankCost(setting, shops, {
    connections,
    limit,
    ...lowRank,
  });
  return { bench: 'serve', tables: [table], goals, figures };
}

/** The part `log`: only what the decision log costs. */
async function measureLog(sizes: Sizes, { service, admin }: BenchEnvironment): Promise<Report> {
  const prepared = await prepareShop(service, admin, sizes.shop);
  const { table, goals, figures } = await logCostOf(sizes, service, prepared);
  return { bench: 'serve', tables: [table], goals, figures };
}

async function logCostOf({ log }: Sizes, service: Service, prepared: Prepared) {
  const requestsOf = await recommendRequests(service, limit);
  return measureLogCost(service, prepared.name, requestsOf(prepared), { connections, ...log });
}

async function measureAll(sizes: Sizes, setting: BenchEnvironment): Promise<Report> {
  const { service, admin } = setting;
  const movies = sizes.withMovieLens ? [await prepareMovieLens(service)] : [];
  const shop = await prepareShop(service, admin, sizes.shop);
  const measured = [];
  for (const each of [...movies, shop]) measured.push(await measure(sizes, setting, each));
  const log = await logCostOf(sizes, service, shop);
  return {
    bench: 'serve',
    tables: [
      ...measured.map(({ title, rows }) => ({ title, rows })),
      {
        title: 'Memory that a serving process needs to load a project (for small models, mostly noise)',
        rows: measured.map(({ memory }) => memory),
      },
      log.table,
    ],
    goals: [...measured.flatMap(({ goals }) => goals), ...log.goals],
    figures: Object.fromEntries([
      ...measured.map(({ title, figures }): [string, unknown] => [title, figures]),
      ['decision log', log.figures],
    ]),
  };
}

/** Of several rounds at this rate, the one with the median p99: a pause of the machine spoils one round, not the figure. */
async function paceTypically(to: Target, perSecond: number, { rounds, seconds }: Sizes): Promise<Load> {
  const loads: Load[] = [];
  for (let round = 0; round < rounds; round++) loads.push(await pace(to, perSecond, connections, seconds));
  const p99 = ({ latenciesMs }: Load) => percentile(latenciesMs, 99);
  loads.sort((a, b) => p99(a) - p99(b));
  const middle = loads[Math.floor(rounds / 2)];
  if (middle === undefined) throw new Error('at least one round is needed');
  return middle;
}

async function measure(
  sizes: Sizes,
  { service: cell, admin, postgres }: BenchEnvironment,
  prepared: Prepared,
) {
  await using service = await cell.startAnother('serving');
  const { project_id, users, attributes, filter, capped, name } = prepared;
  const path = '/recommend-items-to-user';
  const headers = await service.headersFor(paths.join(' '));
  const body = (n: number) => ({ user_id: users[n % users.length], limit, attributes });
  const target = (fields: object = {}): Target => ({
    port: service.port,
    request: (n) => encodeRequest(path, headers, { ...body(n), project_id, ...fields }),
  });
  const response = await callUntilLoaded(target());
  const contextItems = (JSON.parse(response) as { results: { item: { item_id: string } }[] }).results
    .slice(0, 3)
    .map(({ item }) => item.item_id);

  const tables = await findTables(admin, project_id);
  const itemAt = (n: number) => tables.ids[n % tables.ids.length] ?? '';
  const listAt = (n: number, count: number) => Array.from({ length: count }, (_, place) => itemAt(n + place));
  const question = (to: (typeof paths)[number], fields: (n: number) => object): Target => ({
    port: service.port,
    request: (n) => encodeRequest(to, headers, { project_id, attributes, ...fields(n) }),
  });
  await using bare = await startBare(postgres.url, tables, response);
  const bareTarget = (route: string): Target => ({
    port: bare.port,
    request: (n) => encodeRequest(route, {}, body(n)),
  });
  const cases: Record<string, Target> = {
    'the service': target(),
    'with a filter': target({ filter_query: filter }),
    'with boosts': target({ boosts: [{ if: filter, factor: 1.5 }] }),
    'with diversity': target({ diversity: { level: 'MEDIUM' } }),
    'with context items': target({ context_items: contextItems }),
    'with a promotion': target({ promote: { if: filter, share: 0.2 } }),
    'with pins': target({
      pins: contextItems.map((item_id, place) => ({ item_id, position: 2 * place + 1 })),
    }),
    'with max_per_value': target({ diversity: { attribute: capped, max_per_value: limit / 4 } }),
    'similar items': question('/recommend-items-to-item', (n) => ({ item_id: itemAt(n), limit })),
    [`ranking of ${limit}`]: question('/rank-items-for-user', (n) => ({
      user_id: users[n % users.length],
      item_ids: listAt(n, limit),
    })),
    // The caller of a longer list has the items' attributes already.
    [`ranking of ${rankedItems}, IDs only`]: question('/rank-items-for-user', (n) => ({
      user_id: users[n % users.length],
      item_ids: listAt(n, rankedItems),
      attributes: [],
    })),
    'ranking of 1000': question('/rank-items-for-user', (n) => ({
      user_id: users[n % users.length],
      item_ids: listAt(n, 1000),
    })),
    'popular items': question('/recommend-popular-items', () => ({ limit })),
    'bare, from memory': bareTarget('/static'),
    'bare, reads only': bareTarget('/reads'),
  };
  const rates = new Map<string, number[]>();
  const latencies = new Map<string, number[]>();
  /** CPU milliseconds per call of the process and PostgreSQL, of the cheapest round: other work on the machine adds to it. */
  const cpu = new Map<string, number>();
  const errors = new Map<string, Record<string, number>>();
  const countErrors = (way: string, found: Readonly<Record<string, number>>) => {
    const counts = errors.get(way) ?? {};
    for (const [kind, count] of Object.entries(found)) counts[kind] = (counts[kind] ?? 0) + count;
    errors.set(way, counts);
  };
  for (const to of Object.values(cases)) await flood(to, connections, Math.min(2, sizes.seconds));
  for (let round = 0; round < sizes.rounds; round++)
    for (const [name, to] of Object.entries(cases)) {
      const before = cpuOf(service.pid, postgres.pid);
      const { perSecond, latenciesMs, errors: found } = await flood(to, connections, sizes.seconds);
      const cpuMs = (1000 * (cpuOf(service.pid, postgres.pid) - before)) / Math.max(1, latenciesMs.length);
      cpu.set(name, Math.min(cpu.get(name) ?? Number.POSITIVE_INFINITY, cpuMs));
      countErrors(name, found);
      rates.set(name, [...(rates.get(name) ?? []), perSecond]);
      latencies.set(name, [...(latencies.get(name) ?? []), ...latenciesMs]);
    }
  const rateOf = (way: string) => percentile(rates.get(way) ?? [], 50);
  const halfRate = rateOf('the service') / 2;
  // The same rate with only the reads shows how much of the latency is due to the machine.
  const half = await paceTypically(target(), halfRate, sizes);
  const bareHalf = await paceTypically(bareTarget('/reads'), halfRate, sizes);
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
      text: `${name}: at least ${sizes.ratioGoal} times the rate of bare reads: ${ratio.toFixed(2)}`,
      reached: ratio >= sizes.ratioGoal,
    },
    {
      text: `${name}: p99 at half of its maximum load below ${sizes.p99Goal} ms: ${p99.toFixed(1)}`,
      reached: p99 < sizes.p99Goal,
    },
    ...[...asFast, ...rules].map((way) => {
      const share = rateOf(way) / rateOf('the service');
      const goal = (rules.includes(way) ? ruleGoal : 1) * sizes.questionTolerance;
      return {
        text: `${name}, ${way}: at least ${goal.toFixed(2)} times the rate of recommendations to a user: ${share.toFixed(2)}`,
        reached: share >= goal,
      };
    }),
    ...(fileBytes > smallFileBytes
      ? [
          {
            text: `${name}: memory at most ${memoryGoal} times the size of the model's file: ${(memory / fileBytes).toFixed(2)}`,
            reached: memory <= memoryGoal * fileBytes,
          },
        ]
      : []),
  ];
  return {
    title: `${name}: limit ${limit}, ${attributes.length} attributes, ${connections} connections, one process`,
    rows: [
      ...Object.keys(cases).map((way) => ({
        way,
        'calls/s': Math.round(rateOf(way)),
        'p50 ms': percentile(latencies.get(way) ?? [], 50),
        'p99 ms': percentile(latencies.get(way) ?? [], 99),
        'of bare reads': rateOf(way) / rateOf('bare, reads only'),
        'of the service': rateOf(way) / rateOf('the service'),
        // The other process is not measured.
        'CPU ms': way.startsWith('bare') ? Number.NaN : (cpu.get(way) ?? Number.NaN),
        errors: showErrors(errors.get(way) ?? {}),
      })),
      ...Object.entries({ 'the service, half load': half, 'bare reads, same load': bareHalf }).map(
        ([way, { perSecond, latenciesMs, errors: found }]) => ({
          way,
          'calls/s': Math.round(perSecond),
          'p50 ms': percentile(latenciesMs, 50),
          'p99 ms': percentile(latenciesMs, 99),
          'of bare reads': perSecond / rateOf('bare, reads only'),
          'of the service': perSecond / rateOf('the service'),
          'CPU ms': Number.NaN,
          errors: showErrors(found),
        }),
      ),
    ],
    memory: {
      model: name,
      'file MB': fileBytes / 1e6,
      'memory MB': memory / 1e6,
    },
    goals,
    figures: {
      ratio,
      p99,
      memory,
      fileBytes,
      rates: Object.fromEntries(rates),
      cpuMs: Object.fromEntries(cpu),
      errors: { ...Object.fromEntries(errors), 'half load': half.errors },
    },
  };
}

const cpuOf = (...pids: number[]) => pids.reduce((sum, pid) => sum + (cpuSeconds(pid) ?? 0), 0);

const showErrors = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} x ${kind}`)
    .join(', ') || 'none';

/** The tables with the project's records, and the IDs of items to read. */
async function findTables(admin: BenchEnvironment['admin'], projectId: string) {
  const { rows } = await admin.query<{ key: number; partition: number; kind: string }>(
    `SELECT d.dataset_key AS key, d.partition, d.kind FROM projects p
      JOIN datasets d ON d.dataset_key IN (p.user_dataset_key, p.item_dataset_key, p.event_dataset_key)
      WHERE p.project_id = $1`,
    [projectId],
  );
  const tableOf = (kind: string) => {
    const { key = 0, partition = 0 } = rows.find((row) => row.kind === kind) ?? {};
    return { key, table: `${kind}s_p${String(partition).padStart(2, '0')}` };
  };
  const items = tableOf('item');
  const some = `SELECT item_id FROM ${items.table} WHERE dataset_key = $1 ORDER BY hashtext(item_id) LIMIT 2000`;
  const { rows: ids } = await admin.query<{ item_id: string }>(some, [items.key]);
  return { users: tableOf('user'), items, events: tableOf('event'), ids: ids.map(({ item_id }) => item_id) };
}

async function startBare(databaseUrl: string, tables: object, response: string) {
  const script = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
  const args = ['--max-semi-space-size=64', script, databaseUrl, JSON.stringify(tables), response];
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

/** How much memory a new process needs for the first call, which loads the model. */
async function loadedBytes(cell: Service, target: Target): Promise<number> {
  await using service = await cell.startAnother('serving', { SERVING_MEMORY_MB: minMemoryMb });
  const before = await residentBytes(service.pid);
  await callUntilLoaded({ ...target, port: service.port });
  return (await residentBytes(service.pid)) - before;
}
