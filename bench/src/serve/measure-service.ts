import type { BenchEnvironment } from '../environment.ts';
import { residentBytes } from '../process-memory.ts';
import { type Goal, percentile } from '../report.ts';
import type { Service } from '../service.ts';
import { findTables, startBare } from './bare.ts';
import { callUntilLoaded } from './call-until-loaded.ts';
import { type CpuPerCall, cheaper, startCpu } from './cpu-per-call.ts';
import { flood, type Load, pace, type Target } from './load.ts';
import type { Prepared } from './prepare.ts';
import { encodeRequest } from './raw-client.ts';
import { connections, limit, type Sizes } from './sizes.ts';

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

interface Asking {
  /** Recommendations to users, with more fields. */
  readonly target: (fields?: object) => Target;
  readonly question: (to: (typeof paths)[number], fields: (n: number) => object) => Target;
  readonly contextItems: readonly string[];
  readonly itemIds: readonly string[];
}

/** All questions and rules, by name. */
function casesOf(
  { users, filter, capped }: Prepared,
  { target, question, contextItems, itemIds }: Asking,
): Record<string, Target> {
  const itemAt = (n: number) => itemIds[n % itemIds.length] ?? '';
  const listAt = (n: number, count: number) => Array.from({ length: count }, (_, place) => itemAt(n + place));
  return {
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
  };
}

/** Each for a few seconds per round, so that a slow minute of the machine slows down all. */
async function floodInTurn(
  cases: Readonly<Record<string, Target>>,
  sizes: Sizes,
  processes: Parameters<typeof startCpu>[0],
) {
  const rates = new Map<string, number[]>();
  const latencies = new Map<string, number[]>();
  const cpu = new Map<string, CpuPerCall>();
  const errors = new Map<string, Record<string, number>>();
  const countErrors = (way: string, found: Readonly<Record<string, number>>) => {
    const counts = errors.get(way) ?? {};
    for (const [kind, count] of Object.entries(found)) counts[kind] = (counts[kind] ?? 0) + count;
    errors.set(way, counts);
  };
  for (const to of Object.values(cases)) await flood(to, connections, Math.min(2, sizes.seconds));
  for (let round = 0; round < sizes.rounds; round++)
    for (const [name, to] of Object.entries(cases)) {
      const used = startCpu(processes);
      const { perSecond, latenciesMs, errors: found } = await flood(to, connections, sizes.seconds);
      cpu.set(name, cheaper(cpu.get(name), used(latenciesMs.length)));
      countErrors(name, found);
      rates.set(name, [...(rates.get(name) ?? []), perSecond]);
      latencies.set(name, [...(latencies.get(name) ?? []), ...latenciesMs]);
    }
  return { rates, latencies, cpu, errors };
}

/** All questions and rules on one project, by one serving process, beside bare servers. */
export async function measureService(
  sizes: Sizes,
  { service: cell, admin, postgres }: BenchEnvironment,
  prepared: Prepared,
) {
  await using service = await cell.startAnother('serving');
  const { project_id, users, attributes, name } = prepared;
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
  const question = (to: (typeof paths)[number], fields: (n: number) => object): Target => ({
    port: service.port,
    request: (n) => encodeRequest(to, headers, { project_id, attributes, ...fields(n) }),
  });
  await using bare = await startBare(postgres.url, tables, response);
  const bareTarget = (route: string): Target => ({
    port: bare.port,
    request: (n) => encodeRequest(route, {}, body(n)),
  });
  const cases = {
    ...casesOf(prepared, { target, question, contextItems, itemIds: tables.ids }),
    'bare, from memory': bareTarget('/static'),
    'bare, reads only': bareTarget('/reads'),
  };
  const { rates, latencies, cpu, errors } = await floodInTurn(cases, sizes, {
    service: service.pid,
    database: postgres.pid,
  });
  const rateOf = (way: string) => percentile(rates.get(way) ?? [], 50);
  const rowOf = (way: string, { perSecond, latenciesMs, errors: found }: Load) => ({
    way,
    'calls/s': Math.round(perSecond),
    'p50 ms': percentile(latenciesMs, 50),
    'p99 ms': percentile(latenciesMs, 99),
    'of bare reads': perSecond / rateOf('bare, reads only'),
    'of the service': perSecond / rateOf('the service'),
    // The bare server is another process.
    'CPU ms': way.startsWith('bare') ? Number.NaN : (cpu.get(way)?.service ?? Number.NaN),
    'database CPU ms': cpu.get(way)?.database ?? Number.NaN,
    errors: showErrors(found),
  });
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
  return {
    title: `${name}: limit ${limit}, ${attributes.length} attributes, ${connections} connections, one process`,
    rows: [
      ...Object.keys(cases).map((way) =>
        rowOf(way, {
          perSecond: rateOf(way),
          latenciesMs: latencies.get(way) ?? [],
          errors: errors.get(way) ?? {},
        }),
      ),
      rowOf('the service, half load', half),
      rowOf('bare reads, same load', bareHalf),
    ],
    memory: { model: name, 'file MB': fileBytes / 1e6, 'memory MB': memory / 1e6 },
    goals: goalsOf(
      name,
      sizes,
      { ratio, p99, memory, fileBytes },
      (way) => rateOf(way) / rateOf('the service'),
    ),
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

interface Figures {
  readonly ratio: number;
  readonly p99: number;
  readonly memory: number;
  readonly fileBytes: number;
}

/** `shareOf`: a case's rate, as a share of that of recommendations to a user. */
function goalsOf(
  name: string,
  sizes: Sizes,
  { ratio, p99, memory, fileBytes }: Figures,
  shareOf: (way: string) => number,
): Goal[] {
  return [
    {
      text: `${name}: at least ${sizes.ratioGoal} times the rate of bare reads: ${ratio.toFixed(2)}`,
      reached: ratio >= sizes.ratioGoal,
    },
    {
      text: `${name}: p99 at half of its maximum load below ${sizes.p99Goal} ms: ${p99.toFixed(1)}`,
      reached: p99 < sizes.p99Goal,
    },
    ...[...asFast, ...rules].map((way) => {
      const share = shareOf(way);
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
}

const showErrors = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} x ${kind}`)
    .join(', ') || 'none';

/** How much memory a new process needs for the first call, which loads the model. */
async function loadedBytes(cell: Service, target: Target): Promise<number> {
  await using service = await cell.startAnother('serving', { SERVING_MEMORY_MB: minMemoryMb });
  const before = await residentBytes(service.pid);
  await callUntilLoaded({ ...target, port: service.port });
  return (await residentBytes(service.pid)) - before;
}
