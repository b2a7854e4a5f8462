import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { OperationName } from '@tastegraph/contract';
import { beforeAll, expect, test, vi } from 'vitest';
import { submitClustering, submitQueries } from '../stack/analysed-project.ts';
import { type Balancer, startBalancer } from '../stack/balancer.ts';
import { Caller, type Credentials } from '../stack/caller.ts';
import { cloneDatabase } from '../stack/database.ts';
import { type ServerProcess, startServer, thisMain } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { SteadyCalls } from '../stack/steady-calls.ts';
import {
  fixedParameters,
  makeProject,
  submit,
  type TestProject,
  trainModel,
  waitForJob,
} from '../stack/training.ts';
import { audit, CrashWriter, storedBatches } from './crash-writer.ts';
import { checkOutPreviousRelease } from './previous-release.ts';
import { shareEnv } from './process-env.ts';

const run = promisify(execFile);
vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

type Role = 'api' | 'serving' | 'worker';
type Version = 'previous' | 'this';

/** Operations that both versions issue tokens for. */
const knownToBoth: OperationName[] = [
  'createUserDataset',
  'createItemDataset',
  'createEventDataset',
  'upsertDatasetItems',
  'upsertDatasetEvents',
  'createProject',
  'getProject',
  'createAlgorithm',
  'submitTrainingJob',
  'submitDeploymentJob',
  'submitQueryingJob',
  'submitClusteringJob',
  'getJob',
  'recommendItemsToUser',
];

const cell = perFile(async () => new AsyncDisposableStack());
let databaseUrl: string;
let env: Record<string, string>;
let mains: Record<Version, string>;
/** The processes that callers reach. */
let fronts: Record<'api' | 'serving', Balancer>;
let caller: Caller;
let servingCaller: Caller;
let project: TestProject;
const running = new Map<string, ServerProcess>();

beforeAll(async () => {
  const previous = cell.use(await checkOutPreviousRelease());
  mains = { previous: previous.main, this: thisMain };
  const database = await cloneDatabase('template0');
  cell.defer(database.drop);
  databaseUrl = database.url;
  // Shows that no call fails, not how fast a busy machine is.
  env = await shareEnv(cell, databaseUrl, { JOB_HEARTBEAT_SECONDS: '0.5', SERVING_DEADLINE_MS: '20000' });
  await migrate('previous');
  fronts = { api: cell.use(await startBalancer([])), serving: cell.use(await startBalancer([])) };
  for (const role of ['api', 'serving', 'worker'] as const) await start(role, 'previous');
  const credentials = await createCredentials();
  caller = new Caller(fronts.api.baseUrl, credentials, knownToBoth);
  servingCaller = new Caller(fronts.serving.baseUrl, credentials, knownToBoth);
  project = await makeProject(caller, { parameters: fixedParameters });
  // Installing the packages of the previous release takes most of it.
}, 300_000);

async function runCommand(version: Version, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [mains[version], ...args], {
    env: { ...process.env, ...env },
  });
  return stdout;
}

async function migrate(version: Version): Promise<void> {
  await runCommand(version, 'migrate');
}

/** By the previous release: this one cannot work with its schema yet. */
async function createCredentials(): Promise<Credentials> {
  const admin = async (...args: string[]) =>
    JSON.parse(await runCommand('previous', 'admin', ...args, '--json')) as Record<string, string>;
  const { account_id = '' } = await admin('create-account', '--name', 'test');
  const { api_key = '', api_secret = '' } = await admin('create-key', '--account', account_id);
  return { accountId: account_id, apiKey: api_key, apiSecret: api_secret };
}

function useRunning(): void {
  for (const role of ['api', 'serving'] as const)
    fronts[role].use(
      [...running].filter(([name]) => name.startsWith(role)).map(([, { baseUrl }]) => baseUrl),
    );
}

async function start(role: Role, version: Version): Promise<void> {
  running.set(`${role} ${version}`, cell.use(await startServer(role, env, mains[version])));
  useRunning();
}

/** Like an orchestrator: stops new calls, then sends SIGTERM. */
async function stop(role: Role, version: Version): Promise<void> {
  const name = `${role} ${version}`;
  const server = running.get(name);
  running.delete(name);
  useRunning();
  server?.signal('SIGTERM');
  expect(await server?.ended, server?.output()).toBe(0);
}

async function replace(role: Role, from: Version, to: Version): Promise<void> {
  await start(role, to);
  await stop(role, from);
}

async function succeed(job_id: string): Promise<void> {
  const { project_id } = project;
  expect(await waitForJob(caller, project_id, job_id, undefined, 120_000)).toMatchObject({
    job_status: 'SUCCEED',
    error: null,
  });
}

async function submitDeployment(generator_model_id: string): Promise<string> {
  const { project_id } = project;
  const deployment = { project_id, name: 'd', generator_model_id, qps: 1_000_000 };
  return (await caller.call('submitDeploymentJob', deployment)).job_id;
}

/** Deploys the model, and calls it on every running serving process. */
async function deploy(generator_model_id: string): Promise<void> {
  await succeed(await submitDeployment(generator_model_id));
  for (const [name, { baseUrl }] of running) {
    if (!name.startsWith('serving')) continue;
    const direct = new Caller(baseUrl, caller.credentials, knownToBoth);
    const { results, degraded } = await direct.call('recommendItemsToUser', recommendation());
    expect({ name, results: results.length, degraded }).toEqual({ name, results: 5, degraded: [] });
  }
}

const recommendation = () => ({ project_id: project.project_id, user_id: 'u1', limit: 5 });

/** A training, and a query and a clustering of its model: the leftovers of every kind of job, whoever runs it. */
async function runJobs(): Promise<string> {
  const model_id = await trainModel(caller, project);
  const { project_id } = project;
  const queries = [{ attribute: 'parity', value: '1' }];
  await succeed(
    await submitQueries(caller, { project_id, model_id }, { query_type: 'user_distribution', queries }),
  );
  await succeed(await submitClustering(caller, { project_id, model_id }));
  return model_id;
}

test('the previous release and this one share a database under load, upgrade and downgrade, and no call fails', async () => {
  const { event_dataset_id } = await caller.call('createEventDataset', { name: 'w', num_shards: 10 });
  const ofPrevious = await runJobs();
  await deploy(ofPrevious);
  const end = new AbortController();
  const writers = [0, 1].map((writer) => new CrashWriter(caller, event_dataset_id, writer));
  const writing = writers.map((writer) => writer.write(end.signal));
  const { project_id, item_dataset_id } = project;
  const items = [{ item_id: 'i0', attributes: { parity: '0' } }];
  const calls = {
    reads: () => caller.ask('getProject', { project_id }),
    items: () => caller.ask('upsertDatasetItems', { item_dataset_id, items }),
    recommendations: () => servingCaller.ask('recommendItemsToUser', recommendation()),
    filtered: () =>
      servingCaller.ask('recommendItemsToUser', { ...recommendation(), filter_query: 'item.parity == "1"' }),
  };
  const steady = Object.values(calls).map((call) => new SteadyCalls(call, end.signal));

  await migrate('this');
  await sleep(1000);
  // A training that the previous release's worker begins and this release's finishes.
  const handedOver = await submit(caller, project);
  await replace('worker', 'previous', 'this');
  await succeed(handedOver);
  // Trained by this release, with a part that the previous one does not know: refused while it serves.
  const ofThis = await runJobs();
  await start('serving', 'this');
  await deploy(ofPrevious);
  const refused = await waitForJob(caller, project_id, await submitDeployment(ofThis), undefined, 120_000);
  expect(refused).toMatchObject({ job_status: 'FAILED', error: { code: 'MODEL_UNFIT' } });
  await stop('serving', 'previous');
  await deploy(ofThis);
  await replace('api', 'previous', 'this');
  // Submitted to this release's API and run by its worker, on data of the previous one.
  await deploy(ofPrevious);

  // Downgrade: one process of each kind beside this release's, and only the previous worker runs jobs.
  for (const role of ['api', 'serving', 'worker'] as const) await start(role, 'previous');
  await stop('worker', 'this');
  await deploy(await runJobs());

  end.abort();
  await Promise.all(writing);
  const batches = writers.flatMap((writer) => writer.batches);
  const { idsVerified, ...faults } = audit(batches, await storedBatches(databaseUrl, event_dataset_id));
  console.log('upgrade:', { idsVerified, batches: batches.length });
  expect(faults).toEqual({ lost: [], partial: [], unknown: [] });
  expect(idsVerified).toBeGreaterThan(1000);
  expect(writers.flatMap((writer) => [...writer.unsound, ...writer.answers.keys()])).toEqual([200, 200]);
  expect(steady.flatMap((made) => made.statuses(new Set([200])))).toEqual([]);
});
