import { findFreePort, startHaproxy } from '@tastegraph/dev';
import { cpuSeconds } from '../cpu.ts';
import { residentBytes } from '../process-memory.ts';
import { percentile, type Report } from '../report.ts';
import { flood, type Target } from '../serve/load.ts';
import type { Service } from '../service.ts';

/** As many as deploy/haproxy has lines for serving processes. */
const processes = 3;

/** Changes of deploy/haproxy: none, or what makes it spread the calls of each project over all processes. */
const ways = {
  'round robin': { 'balance hash var(txn.part)': 'balance roundrobin', 'hash-type consistent': '' },
  'by project': {},
} as const;
type Way = keyof typeof ways;

interface RoutingLoad {
  readonly request: Target['request'];
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly pairs: number;
}

interface RoutingResult {
  readonly way: Way;
  readonly rates: readonly number[];
  readonly latenciesMs: readonly number[];
  readonly failed: number;
  /** Of all processes, per call. */
  readonly cpuMs: number;
  /** Loads of models per 1,000 calls. */
  readonly loads: number;
  /** Of all processes. */
  readonly residentBytes: number;
}

/** The same load on two groups of serving processes behind HAProxy, in rounds that alternate. */
export async function compareRouting(
  start: (settings: Readonly<Record<string, string>>) => Promise<Service>,
  load: RoutingLoad,
): Promise<RoutingResult[]> {
  await using stack = new AsyncDisposableStack();
  const groups = [];
  for (const way of Object.keys(ways) as Way[]) groups.push(stack.use(await startGroup(way, start)));
  for (const group of groups) await group.round(load, load.warmUpSeconds);
  for (const group of groups) await group.forget();
  for (let pair = 0; pair < load.pairs; pair++)
    for (const group of pair % 2 === 0 ? groups : groups.toReversed()) await group.round(load, load.seconds);
  return await Promise.all(groups.map((group) => group.result()));
}

async function startGroup(way: Way, start: (settings: Record<string, string>) => Promise<Service>) {
  await using stack = new AsyncDisposableStack();
  const members: { readonly service: Service; readonly metricsPort: number }[] = [];
  const addresses: Record<string, string> = {};
  for (let n = 1; n <= processes; n++) {
    const metricsPort = await findFreePort();
    const service = stack.use(await start({ METRICS_PORT: String(metricsPort) }));
    members.push({ service, metricsPort });
    addresses[`10.0.0.${n}:8090`] = `127.0.0.1:${service.port}`;
  }
  const proxy = stack.use(await startHaproxy('haproxy/tastegraph.cfg', { ...ways[way], ...addresses }));
  let rounds: Awaited<ReturnType<typeof flood>>[] = [];
  const cpu = () => sumOf(members.map(({ service }) => cpuSeconds(service.pid) ?? 0));
  const loads = async () => {
    const counts = await Promise.all(members.map(({ metricsPort }) => countLoads(metricsPort)));
    return sumOf(counts);
  };
  let [cpuBefore, loadsBefore] = [0, 0];
  const owned = stack.move();
  return {
    async round({ request, connections }: RoutingLoad, seconds: number) {
      rounds.push(await flood({ port: proxy.port, request }, connections, seconds));
    },
    /** Forgets the rounds so far, which were to warm up. */
    async forget() {
      rounds = [];
      [cpuBefore, loadsBefore] = [cpu(), await loads()];
    },
    async result(): Promise<RoutingResult> {
      const latenciesMs = rounds.flatMap((round) => round.latenciesMs);
      const resident = await Promise.all(members.map(({ service }) => residentBytes(service.pid)));
      return {
        way,
        rates: rounds.map(({ perSecond }) => perSecond),
        latenciesMs,
        failed: sumOf(rounds.flatMap(({ errors }) => Object.values(errors))),
        cpuMs: (1000 * (cpu() - cpuBefore)) / Math.max(1, latenciesMs.length),
        loads: (1000 * ((await loads()) - loadsBefore)) / Math.max(1, latenciesMs.length),
        residentBytes: sumOf(resident),
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

async function countLoads(metricsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^tastegraph_model_loads_total (\d+)$/m.exec(text)?.[1]);
}

const routingRow = (result: RoutingResult) => ({
  way: result.way,
  'calls/s': Math.round(percentile(result.rates, 50)),
  'p50 ms': percentile(result.latenciesMs, 50),
  'p99 ms': percentile(result.latenciesMs, 99),
  failed: result.failed,
  'CPU ms': result.cpuMs.toFixed(3),
  'loads per 1,000 calls': result.loads,
  'all processes MB': result.residentBytes / 1e6,
});

export function routingReport(results: readonly RoutingResult[], size: string): Report {
  const [spread, routed] = results;
  const ratio = percentile(routed?.rates ?? [], 50) / percentile(spread?.rates ?? [], 50);
  return {
    bench: 'tenants routing',
    tables: [
      {
        title: `${size}, calls by Zipf's law; ${processes} processes behind deploy/haproxy`,
        rows: results.map(routingRow),
      },
    ],
    goals: [
      {
        text: `calls go to the process of their project: at least the rate of round robin: ${ratio.toFixed(2)}`,
        reached: ratio >= 1,
      },
    ],
    figures: { results: results.map((result) => ({ ...result, latenciesMs: undefined })) },
  };
}
