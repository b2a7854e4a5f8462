import { readFile } from 'node:fs/promises';
import { type BenchEnvironment, withEnvironment } from '../environment.ts';
import { residentBytes } from '../process-memory.ts';
import { percentile, type Report } from '../report.ts';
import { compareRates, rateRow } from '../serve/compare-rates.ts';
import { flood, type Target } from '../serve/load.ts';
import { prepareTenants, type TenantSizes } from './prepare.ts';
import { openRequests } from './requests.ts';
import { restartDuringCalls } from './rolling-restart.ts';
import { compareRouting, routingReport } from './routing.ts';

interface Sizes extends TenantSizes {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly pairs: number;
  readonly ratioGoal: number;
  readonly backendGoalMb: number;
  /** Of the serving processes. */
  readonly settings: Readonly<Record<string, string>>;
}

const full: Sizes = {
  projects: 10_000,
  accounts: 200,
  warmUpSeconds: 20,
  seconds: 3,
  pairs: 8,
  ratioGoal: 0.7,
  backendGoalMb: 16,
  settings: {},
};
// Short rounds on a machine with other work: a lower goal, and calls that have more time.
const quick: Sizes = {
  projects: 300,
  accounts: 20,
  warmUpSeconds: 3,
  seconds: 1,
  pairs: 4,
  ratioGoal: 0.2,
  backendGoalMb: 16,
  settings: { SERVING_DEADLINE_MS: '20000' },
};

const connections = 32;
/** Calls per second during the restart: far below what a process can answer, because starting processes takes CPU time. */
const restartRate = 100;
/** The least that SERVING_MEMORY_MB may be. */
const minMemoryMb = 16;
/** Enough that their models do not fit into the least memory of a process. */
const routedProjects = 3000;
/** So little that a process cannot keep all models, but three processes together can. */
const memoryPerModelByte = 0.7;

/** Many projects on one serving process, beside the same load on one of them; `routing`: two ways to spread them over processes. */
export async function benchTenants(isQuick: boolean, parts: readonly string[]): Promise<Report> {
  const run = parts.includes('routing') ? measureRouting : measure;
  return withEnvironment((setting) => run(isQuick ? quick : full, setting), 'all-in-one');
}

async function measureRouting(sizes: Sizes, setting: BenchEnvironment): Promise<Report> {
  const tenants = await prepareTenants(setting, { ...sizes, projects: routedProjects });
  const { toAll: request } = await openRequests(setting, tenants);
  const { rows } = await setting.admin.query<{ bytes: string }>(
    'SELECT sum(object_size) AS bytes FROM models',
  );
  const memoryMb = Math.max(minMemoryMb, Math.round((Number(rows[0]?.bytes) * memoryPerModelByte) / 1e6));
  const start = (settings: Readonly<Record<string, string>>) =>
    setting.service.startAnother('serving', {
      ...sizes.settings,
      ...settings,
      SERVING_MEMORY_MB: String(memoryMb),
    });
  const { warmUpSeconds, seconds, pairs } = sizes;
  const results = await compareRouting(start, { request, connections, warmUpSeconds, seconds, pairs });
  return routingReport(results, `${routedProjects} projects, SERVING_MEMORY_MB=${memoryMb}`);
}

async function measure(sizes: Sizes, setting: BenchEnvironment): Promise<Report> {
  const { service: cell, admin } = setting;
  const tenants = await prepareTenants(setting, sizes);
  const { toRank: requestTo, toAll: askMany } = await openRequests(setting, tenants);

  const startedAt = performance.now();
  await using serving = await cell.startAnother('serving', sizes.settings);
  const startSeconds = (performance.now() - startedAt) / 1000;
  const one: Target = { port: serving.port, request: (n) => requestTo(0, n) };
  const many: Target = { port: serving.port, request: askMany };
  await flood(one, connections, sizes.warmUpSeconds);
  const memoryOne = { serving: await residentBytes(serving.pid), backend: await largestBackendBytes(admin) };
  const errors = (await flood(many, connections, sizes.warmUpSeconds)).errors;
  const rounds = { connections, seconds: sizes.seconds, pairs: sizes.pairs };
  const compared = await compareRates(
    { target: many, pid: serving.pid },
    { target: one, pid: serving.pid },
    rounds,
  );
  const memoryMany = { serving: await residentBytes(serving.pid), backend: await largestBackendBytes(admin) };
  await serving[Symbol.asyncDispose]();
  const start = () => cell.startAnother('serving', sizes.settings);
  const restart = await restartDuringCalls(start, askMany, { perSecond: restartRate, connections: 8 });

  const ratio = percentile(compared.ratios, 50);
  const grownMb = (memoryMany.backend - memoryOne.backend) / 1e6;
  const failed = Object.values(restart.failures).reduce((sum, count) => sum + count, 0);
  const floodErrors = Object.values(errors).reduce((sum, count) => sum + count, 0);
  return {
    bench: 'tenants',
    tables: [
      {
        title: `${sizes.projects} deployed projects of ${sizes.accounts} accounts (one imported and trained through the API, the others copied in the database), calls by Zipf's law; ${connections} connections, one process`,
        rows: [
          { ...rateRow('one project', compared.second), ...memoryRow(memoryOne) },
          { ...rateRow('all projects', compared.first), ...memoryRow(memoryMany) },
        ],
      },
      {
        title: `Two serving processes replaced one after the other, at ${restartRate} calls/s over all projects`,
        rows: [
          {
            calls: restart.calls,
            failed,
            degraded: restart.degraded,
            'p50 ms': percentile(restart.latenciesMs, 50),
            'p99 ms': percentile(restart.latenciesMs, 99),
            'start s': Math.max(startSeconds, ...restart.startSeconds),
          },
        ],
      },
    ],
    goals: [
      {
        text: `at least ${sizes.ratioGoal} times the rate of one project: ${ratio.toFixed(2)}`,
        reached: ratio >= sizes.ratioGoal,
      },
      {
        text: `the largest PostgreSQL backend grows by at most ${sizes.backendGoalMb} MB from one project to all: ${grownMb.toFixed(1)}`,
        reached: grownMb <= sizes.backendGoalMb,
      },
      {
        text: `no call fails after the first ${sizes.warmUpSeconds} s, or during the restart: ${failed}`,
        reached: failed === 0,
      },
    ],
    figures: {
      ratio,
      ratios: compared.ratios,
      memory: { one: memoryOne, many: memoryMany },
      warmUpErrors: floodErrors > 0 ? errors : {},
      restart: { ...restart, latenciesMs: undefined, p99: percentile(restart.latenciesMs, 99) },
      startSeconds,
    },
  };
}

const memoryRow = ({ serving, backend }: { serving: number; backend: number }) => ({
  'process MB': serving / 1e6,
  'largest backend MB': backend / 1e6,
});

/** The memory of the largest PostgreSQL backend of the service, without what backends share. */
async function largestBackendBytes(admin: BenchEnvironment['admin']): Promise<number> {
  const { rows } = await admin.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'tastegraph' AND backend_type = 'client backend'",
  );
  return Math.max(0, ...(await Promise.all(rows.map(({ pid }) => ownBytes(pid)))));
}

/** 0 if the process has ended. */
async function ownBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss_Anon:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024;
}
