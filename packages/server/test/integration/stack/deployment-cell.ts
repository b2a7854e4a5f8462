import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { deleteServers, upsertServer } from '../../../src/deployments/rows.ts';
import { tryDeployments } from '../../../src/deployments/trials/try-deployments.ts';
import { newId } from '../../../src/http/ids.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import { ModelCache } from '../../../src/models/model-cache.ts';
import { startApi } from '../../../src/processes/api.ts';
import { startWorker } from '../../../src/processes/worker.ts';
import { startTestApi, type TestApi } from './api.ts';
import type { Caller } from './caller.ts';
import { select } from './kinds.ts';
import {
  fixedParameters,
  type Job,
  makeProject,
  type TestProject,
  trainModel,
  waitForJob,
} from './training.ts';

/** An API and two workers, without serving processes unless a test starts them. */
export const deploymentProduct: Parameters<typeof startTestApi> = [
  { JOB_RETRY_SECONDS: '0.1', TRAINING_THREADS: '1' },
  async (runtime) => {
    await startWorker(runtime);
    await startWorker(runtime);
    return startApi(runtime);
  },
];

export const startDeploymentApi = (): Promise<TestApi> => startTestApi(...deploymentProduct);

export interface TrainedProject extends TestProject {
  readonly model_id: string;
}

export async function makeTrained(caller: Caller): Promise<TrainedProject> {
  const project = await makeProject(caller, { parameters: fixedParameters });
  return { ...project, model_id: await trainModel(caller, project) };
}

interface ModelObject {
  readonly object_key: string;
  readonly size: number;
  readonly sha256: string;
}

export async function objectOf({ db }: TestApi, modelId: string): Promise<ModelObject> {
  const text =
    'SELECT object_key, object_size::int AS size, object_sha256 AS sha256 FROM models WHERE model_id = $1';
  const [row] = await select<ModelObject>(db, text, [modelId]);
  if (!row) throw new Error(`no model ${modelId}`);
  return row;
}

export async function readModel(api: TestApi, modelId: string): Promise<Buffer<ArrayBuffer>> {
  const body = await api.store.read((await objectOf(api, modelId)).object_key);
  return Buffer.concat((await body.bytes.toArray()) as Buffer[]);
}

/** Another model of the project, as if from another training: with its own job, row and file. */
export async function copyModel(api: TestApi, modelId: string, file?: Uint8Array): Promise<string> {
  const bytes = file ?? (await readModel(api, modelId));
  const copy = newId('model');
  const object = await api.store.put(`models/${copy}.tgm`, [bytes]);
  await api.rows(
    `WITH job AS (
        INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn, job_status)
        SELECT $2, j.account_id, j.project_key, j.job_type, j.name, j.job_data, j.turn, 'SUCCEED'
        FROM jobs j JOIN models m USING (job_key) WHERE m.model_id = $1 RETURNING job_key
      )
      INSERT INTO models (model_id, project_key, job_key, name, algorithm_type, algorithm_parameters, training,
        object_key, object_size, object_sha256)
      SELECT $3, m.project_key, job.job_key, m.name, m.algorithm_type, m.algorithm_parameters, m.training, $4, $5, $6
      FROM models m, job WHERE m.model_id = $1`,
    [modelId, newId('job'), copy, `models/${copy}.tgm`, object.size, object.sha256],
  );
  return copy;
}

export interface Deploying {
  readonly generator_model_id: string;
  readonly ranker_model_id?: string;
  readonly qps?: number;
}

export async function submitDeployment(
  caller: Caller,
  { project_id }: Pick<TestProject, 'project_id'>,
  models: Deploying,
): Promise<string> {
  return (await caller.call('submitDeploymentJob', { project_id, name: 'a deployment', ...models })).job_id;
}

/** The job after it has ended. */
export async function deploy(
  caller: Caller,
  project: Pick<TestProject, 'project_id'>,
  models: Deploying,
): Promise<Job> {
  return waitForJob(caller, project.project_id, await submitDeployment(caller, project, models));
}

/** Deploys models by a job, which must succeed. No test reaches the limit that is set unless it sets its own. */
export async function deployByJob(caller: Caller, project: TestProject, models: Deploying): Promise<void> {
  const job = await deploy(caller, project, { qps: 1_000_000, ...models });
  expect(job).toMatchObject({ job_status: 'SUCCEED' });
}

/** A project with a model that is trained and deployed by jobs. */
export async function makeDeployed(caller: Caller): Promise<TrainedProject> {
  const project = await makeTrained(caller);
  await deployByJob(caller, project, { generator_model_id: project.model_id });
  return project;
}

export async function deployed(caller: Caller, { project_id }: TestProject) {
  return (await caller.call('getProject', { project_id })).deployment;
}

/** Waits for a state in the database; slow on a machine with a load of ten. */
export async function waitForRows({ db }: TestApi, table: string, count: number): Promise<void> {
  await expect.poll(() => select(db, `SELECT FROM ${table}`), { timeout: 20_000 }).toHaveLength(count);
}

export interface TestServer {
  readonly serverId: string;
  readonly models: ModelCache;
  stop(): Promise<void>;
}

/**
 * Runs a serving process's part of deployments in this process, until the test ends. Every deployment from now on waits
 * for it.
 */
export async function startServer(api: TestApi, store: ObjectStore = api.store): Promise<TestServer> {
  const serverId = randomUUID();
  const models = new ModelCache(store, 1e9);
  const stopping = new AbortController();
  const log = pino({ level: 'silent' });
  const ended = tryDeployments({ db: api.db, models, serverId, log, stopping: stopping.signal });
  const stop = async () => {
    stopping.abort();
    await ended;
  };
  onTestFinished(stop);
  await waitForRows(api, `servers WHERE server_id = '${serverId}'`, 1);
  return { serverId, models, stop };
}

/** What a killed serving process leaves: it was seen just now, and never reports again. */
export async function leaveDeadServer({ db }: TestApi): Promise<void> {
  await upsertServer(db, randomUUID());
}

/** A process that sends heartbeats and reports nothing, until released or the test ends: every trial stays open. */
export async function holdTrials({ db }: TestApi): Promise<{ release(): Promise<void> }> {
  const id = randomUUID();
  await upsertServer(db, id);
  const showing = setInterval(() => void upsertServer(db, id).catch(() => undefined), 500);
  const release = async () => {
    clearInterval(showing);
    await deleteServers(db, id);
  };
  onTestFinished(release);
  return { release };
}
