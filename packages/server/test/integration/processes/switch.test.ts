import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { type Balancer, startBalancer } from '../stack/balancer.ts';
import { Caller, makeCredentials, requestOf } from '../stack/caller.ts';
import { cloneDatabase } from '../stack/database.ts';
import { deployByJob } from '../stack/deployment-cell.ts';
import { type ServerProcess, startServer } from '../stack/server-process.ts';
import { perFile } from '../stack/stack.ts';
import { makeProject, type TestProject, trainModel } from '../stack/training.ts';
import { callSteadily } from './call-steadily.ts';
import { shareEnv } from './process-env.ts';

/**
 * Short, for every run, and with `FAULTS=all`, as before a release, twice as long. For a longer one: `SWITCH_SECONDS=60 SWITCH_CALLS_PER_SECOND=200 npm run test:integration --
 * switch`
 */
const callsPerSecond = Number(process.env['SWITCH_CALLS_PER_SECOND'] ?? 100);
const minMs = Number(process.env['SWITCH_SECONDS'] ?? 0) * 1000;
const deployments = process.env['FAULTS'] === 'all' ? 8 : 4;
const users = 20;

const cell = perFile(async () => new AsyncDisposableStack());
let serving: ServerProcess[];
let startServing: () => Promise<ServerProcess>;
let balancer: Balancer;
let caller: Caller;
let front: Caller;
let project: TestProject;
let models: readonly [string, string];

beforeAll(async () => {
  const database = await cloneDatabase();
  cell.defer(database.drop);
  // Shows that a switch fails no call, not how fast a busy machine is.
  const env = await shareEnv(cell, database.url, { SERVING_DEADLINE_MS: '20000' });
  const api = cell.use(await startServer('api', env));
  cell.use(await startServer('worker', env));
  startServing = async () => cell.use(await startServer('serving', env));
  serving = await Promise.all([startServing(), startServing()]);
  balancer = cell.use(await startBalancer(serving.map(({ baseUrl }) => baseUrl)));
  const credentials = await makeCredentials(database.url);
  caller = new Caller(api.baseUrl, credentials);
  front = new Caller(balancer.baseUrl, credentials);
  project = await makeProject(caller);
  const train = (regularization: number) => trainModel(caller, project, { parameters: { regularization } });
  models = [await train(5), await train(500)];
}, 120_000);

const deploy = (generator_model_id: string) => deployByJob(caller, project, { generator_model_id });

const bodyOf = (user_id: string) => ({ user_id, limit: 10, explain: true, project_id: project.project_id });

/** The ID of a response is its own. */
const withoutId = (text: string) => text.replace(/"recommendation_id":"\w+",/, '');

interface Tally {
  answered: number;
  readonly failures: string[];
}

/** Calls at a steady rate until stopped; each response must equal, byte for byte, that of one of the models. */
async function call(
  allowed: ReadonlyMap<string, ReadonlySet<string>>,
  stopping: AbortSignal,
): Promise<Tally> {
  const tally: Tally = { answered: 0, failures: [] };
  const headers = await front.headers();
  await callSteadily(callsPerSecond, stopping, async (n) => {
    const user = `u${n % users}`;
    try {
      const answer = await fetch(...requestOf(front.baseUrl, 'recommendItemsToUser', bodyOf(user), headers));
      const text = await answer.text();
      if (answer.status !== 200) tally.failures.push(`${answer.status} ${text.slice(0, 200)}`);
      else if (!allowed.get(user)?.has(withoutId(text)))
        tally.failures.push(`an answer of neither model: ${text.slice(0, 200)}`);
      else tally.answered++;
    } catch (error) {
      tally.failures.push(`${String(error)}: ${error instanceof Error ? String(error.cause) : ''}`);
    }
  });
  return tally;
}

/** Each user's response from either model, once it is deployed. */
async function answersOfBoth(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const headers = await front.headers();
  const answers = new Map<string, Set<string>>();
  for (const model of models) {
    await deploy(model);
    for (let n = 0; n < users; n++) {
      const user = `u${n}`;
      const answer = await fetch(...requestOf(front.baseUrl, 'recommendItemsToUser', bodyOf(user), headers));
      answers.set(user, (answers.get(user) ?? new Set()).add(withoutId(await answer.text())));
    }
  }
  return answers;
}

test('overlapping deployments, rollbacks and rolling restarts fail no call and mix no response', async () => {
  const allowed = await answersOfBoth();
  expect(Math.max(...[...allowed.values()].map(({ size }) => size))).toBe(2);
  const stop = new AbortController();
  const calling = call(allowed, stop.signal);
  const startedAt = performance.now();
  for (let n = 0; n < deployments; n++) {
    await sleep(Math.max(0, startedAt + (minMs * n) / deployments - performance.now()));
    await deploy(models[n % 2 === 0 ? 0 : 1]);
    if (n % 2 === 1) await caller.call('rollbackDeployment', { project_id: project.project_id });
    if (n % 4 !== 3) continue;
    // A new process is ready before an old one stops.
    const oldest = serving.shift();
    serving.push(await startServing());
    balancer.use(serving.map(({ baseUrl }) => baseUrl));
    oldest?.signal('SIGTERM');
    expect(await oldest?.ended).toBe(0);
  }
  await sleep(Math.max(0, startedAt + minMs - performance.now()));
  stop.abort();
  const { answered, failures } = await calling;
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(Math.max(callsPerSecond, (0.9 * callsPerSecond * minMs) / 1000));
}, 180_000);

test('killing a serving process fails only its calls in flight', async () => {
  const allowed = await answersOfBoth();
  const stop = new AbortController();
  const calling = call(allowed, stop.signal);
  await sleep(1000);
  const victim = serving.shift();
  const maxLost = balancer.inFlight(victim?.baseUrl ?? '');
  victim?.signal('SIGKILL');
  await victim?.ended;
  await sleep(2000);
  stop.abort();
  const { answered, failures } = await calling;
  expect(answered).toBeGreaterThan(callsPerSecond);
  // Calls that began between the count and the kill count as in flight too.
  expect(failures.length).toBeLessThanOrEqual(maxLost + 2);
}, 60_000);
