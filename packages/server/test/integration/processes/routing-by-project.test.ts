import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, startHaproxy } from '@tastegraph/dev';
import { beforeAll, expect, test } from 'vitest';
import { answer, Caller, makeCredentials } from '../stack/caller.ts';
import { cloneDatabase, connectTo } from '../stack/database.ts';
import { makeTrained } from '../stack/deployment-cell.ts';
import { type ServerProcess, startServer } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { SteadyCalls } from '../stack/steady-calls.ts';
import { deployModel } from '../stack/training.ts';
import { shareEnv } from './process-env.ts';

/** Enough that they are never all on one of three processes by chance. */
const projectCount = 10;
/** HAProxy notices a loss after two failed checks, one second apart. */
const noticeMs = 4000;
/** Ten parts: the chance that all of them get the same process is 1 in 20,000. */
const hotCalls = 9 * 16 + 1;

interface Serving {
  readonly port: number;
  readonly metricsPort: number;
  process: ServerProcess;
}

const cell = perFile(async () => new AsyncDisposableStack());
let caller: Caller;
let serving: Serving[];
let start: (port: number, metricsPort: number) => Promise<ServerProcess>;
let projects: string[];

beforeAll(async () => {
  const database = await cloneDatabase();
  cell.defer(database.drop);
  const front = await findFreePort();
  const baseUrl = `http://127.0.0.1:${front}`;
  const env = await shareEnv(cell, database.url, {
    BASE_URL: baseUrl,
    TRUST_PROXY: '127.0.0.1',
    DRAIN_SECONDS: '3',
    // This test is about where calls go, not about how fast they are answered.
    SERVING_DEADLINE_MS: '20000',
  });
  const api = cell.use(await startServer('api', env));
  cell.use(await startServer('worker', env));
  start = async (port, metricsPort) =>
    cell.use(await startServer('serving', { ...env, PORT: String(port), METRICS_PORT: String(metricsPort) }));
  const startNew = async (): Promise<Serving> => {
    const [port, metricsPort] = [await findFreePort(), await findFreePort()];
    return { port, metricsPort, process: await start(port, metricsPort) };
  };
  serving = [await startNew(), await startNew(), await startNew()];
  const apiAddress = `127.0.0.1:${api.port}`;
  const addresses: Record<string, string> = { '10.0.0.1:8080': apiAddress, '10.0.0.2:8080': apiAddress };
  for (const [n, { port }] of serving.entries()) addresses[`10.0.0.${n + 1}:8090`] = `127.0.0.1:${port}`;
  cell.use(await startHaproxy('haproxy/tastegraph.cfg', addresses, front));
  caller = new Caller(baseUrl, await makeCredentials(database.url));
  const sql = cell.use(await connectTo(database.url));
  const trained = await Promise.all(Array.from({ length: projectCount }, () => makeTrained(caller)));
  projects = trained.map(({ project_id }) => project_id);
  // Without a trial, which would load each model in every process.
  for (const { model_id } of trained) await deployModel((text, values) => sql.query(text, values), model_id);
}, 180_000);

const question = { user_id: 'u1', limit: 5 };
const askByBody = (project_id?: string) => caller.ask('recommendItemsToUser', { ...question, project_id });

async function askByPath(project: string) {
  const response = await fetch(`${caller.baseUrl}/projects/${project}/recommend-items-to-user`, {
    method: 'POST',
    headers: { ...(await caller.headers()), 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  return answer(response);
}

/** The sum of a metric's series in each serving process; 0 if the process is gone. */
async function readMetric(name: string): Promise<number[]> {
  return Promise.all(
    serving.map(async ({ metricsPort }) => {
      const response = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => undefined);
      const series = (await response?.text())?.matchAll(new RegExp(`^${name}(?:{.*})? (\\d+)$`, 'gm')) ?? [];
      return [...series].reduce((sum, [, value]) => sum + Number(value), 0);
    }),
  );
}

/** How many of these calls each process answered. All must succeed. */
async function answeredBy(ask: () => Promise<{ readonly status: number }[]>): Promise<number[]> {
  const before = await readMetric('tastegraph_recommendations_total');
  const statuses = (await ask()).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  const after = await readMetric('tastegraph_recommendations_total');
  return after.map((count, n) => count - (before[n] ?? 0));
}

/** The number of the one process that answers all calls of a project, in whatever way they name it. */
async function findHome(project: string): Promise<number> {
  const counts = await answeredBy(async () => [
    await askByBody(project),
    await askByPath(project),
    await askByBody(project),
    await askByPath(project),
  ]);
  expect(counts.toSorted()).toEqual([0, 0, 4]);
  return counts.indexOf(4);
}

async function findHomes(): Promise<number[]> {
  const homes = [];
  for (const project of projects) homes.push(await findHome(project));
  return homes;
}

test('all calls of a project go to one process, which alone loads its model', async () => {
  const homes = await findHomes();
  expect(new Set(homes).size).toBeGreaterThan(1);
  const projectsAt = serving.map((_, n) => homes.filter((home) => home === n).length);
  expect(await readMetric('tastegraph_models_in_memory')).toEqual(projectsAt);

  const ofDefault = await answeredBy(async () => [
    await askByBody(),
    await askByBody(),
    await askByBody(),
    await askByBody(),
  ]);
  expect(ofDefault.toSorted()).toEqual([0, 0, 4]);
});

/** Calls all projects steadily while `change` runs. No call may fail. */
async function whileCalling(change: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const calls = projects.map((project) => new SteadyCalls(() => askByBody(project), stop.signal, 100));
  await sleep(1000);
  await change();
  await sleep(noticeMs);
  stop.abort();
  await Promise.all(calls.map(({ ended }) => ended));
  for (const made of calls) {
    expect(made.statuses(new Set([200]))).toEqual([]);
    expect(made.figures(0).answered).toBeGreaterThan(10);
  }
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a process that ends by %s fails no call; only its projects move, and they return with it',
  async (signal) => {
    const homes = await findHomes();
    const lost = homes[0];
    const victim = lost === undefined ? undefined : serving[lost];
    if (!victim) throw new Error('no process was found');
    await whileCalling(async () => {
      const inFlight = Array.from({ length: 10 }, () => askByBody(projects[0]).catch(() => ({ status: 0 })));
      // Long enough for them to arrive, too short for all to be answered.
      await sleep(5);
      victim.process.signal(signal);
      await victim.process.ended;
      expect((await Promise.all(inFlight)).map(({ status }) => status)).toEqual(Array(10).fill(200));
    });
    const without = await findHomes();
    expect(without).not.toContain(lost);
    expect(without.filter((_, n) => homes[n] !== lost)).toEqual(homes.filter((home) => home !== lost));
    await whileCalling(async () => {
      victim.process = await start(victim.port, victim.metricsPort);
    });
    expect(await findHomes()).toEqual(homes);
  },
  120_000,
);

test('a project with many calls in flight is answered by several processes, and by one again afterwards', async () => {
  const project = projects[0] ?? '';
  const home = await findHome(project);
  const counts = await answeredBy(() =>
    Promise.all(Array.from({ length: hotCalls }, () => askByBody(project))),
  );
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(1);
  expect(await findHome(project)).toBe(home);
});
