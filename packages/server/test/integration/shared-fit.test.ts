import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Executor, InteractionsBuilder, sequential } from '@tastegraph/algorithms';
import { encodeModel, fitModel } from '@tastegraph/algorithms/g1';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareWork } from '../../src/jobs/training/sharing/share-work.ts';
import type { ObjectsSettings } from '../../src/storage/objects/open.ts';
import { type Database, openDatabase } from '../../src/storage/postgres/pool.ts';
import { type JobCell, startJobCell } from './job-cell.ts';
import { forceHelp, holdBlocks } from './job-stages.ts';
import { expectLogged, type ServerProcess } from './server-process.ts';
import { makeProject, submit } from './training.ts';

let cell: JobCell;
/** Jobs that no worker claims: their deliveries are deleted before there is one. */
let jobIds: string[];
let db: Database;
let helpers: ServerProcess[];
/** The SHA-256 of the model that is fitted without help. */
let alone: string;
let beating: NodeJS.Timeout;

const owner = 'the-training';
const lostSeconds = 2.5;

beforeAll(async () => {
  cell = await startJobCell({ env: { TRAINING_SHARED_FROM_EVENTS: '1' } });
  await forceHelp(cell.sql);
  db = openDatabase({ url: cell.databaseUrl, poolSize: 1, onIdleError: () => undefined });
  const caller = await cell.newCaller();
  const project = await makeProject(caller);
  jobIds = await Promise.all(Array.from({ length: 10 }, () => submit(caller, project)));
  await cell.sql.query('DELETE FROM pgboss.job');
  alone = await fit(sequential);
  helpers = [await cell.startWorker(), await cell.startWorker()];
  const beat = async () => {
    await cell.sql.query(`UPDATE jobs SET heartbeat_at = clock_timestamp() WHERE job_status = 'RUNNING'`);
    await cell.sql.query(
      'INSERT INTO workers VALUES ($1) ON CONFLICT (worker_id) DO UPDATE SET seen_at = clock_timestamp()',
      [owner],
    );
  };
  beating = setInterval(() => void beat().catch(() => undefined), 300);
});
afterAll(async () => {
  clearInterval(beating);
  await db.close();
  await cell[Symbol.asyncDispose]();
});
const endJobs = () => cell.sql.query(`UPDATE jobs SET job_status = 'CANCELED'`);
beforeEach(endJobs);

const events = (() => {
  const builder = new InteractionsBuilder();
  for (let user = 0; user < 400; user++)
    for (let event = 0; event < 20; event++)
      builder.push(user, (user * 7 + event * (1 + (user % 5))) % 300, 0, 1, event);
  return builder.build({ ordered: false, users: 400, items: 300 });
})();

async function fit(executor: Executor): Promise<string> {
  const model = await fitModel({ events }, executor, { k: 30 });
  const itemIds = Array.from({ length: 300 }, (_, item) => `i${item}`);
  const names = { eventTypes: ['buy'], targetEventType: 'buy', userCodes: [], itemCodes: [] };
  const hash = createHash('sha256');
  for (const chunk of encodeModel(model, { itemIds, ...names })) hash.update(chunk);
  return hash.digest('hex');
}

/** So slow that others have time to help. */
const slow: Executor = {
  async run(kernel, input, count) {
    // Other kernels run beside each window, and are not shared.
    if (kernel.code) await sleep(50);
    await sequential.run(kernel, input, count);
  },
};

/** A training that runs in this process. */
async function startTraining(objects: ObjectsSettings = cell.objects) {
  const jobId = jobIds.pop() ?? '';
  const { rows } = await cell.sql.query<{ job_key: number }>(
    `UPDATE jobs SET job_status = 'RUNNING', attempt = 1, started_at = clock_timestamp(), heartbeat_at = clock_timestamp()
      WHERE job_id = $1 RETURNING job_key`,
    [jobId],
  );
  const attempt = { job_key: rows[0]?.job_key ?? 0, attempt: 1 };
  const { signal } = new AbortController();
  const context = { db, objects, signal, attempt, jobId, workerId: owner, lostSeconds, fromEvents: 1 };
  return { jobId, attempt, sha256: fit(shareWork(slow, context)) };
}

/** The worker that claimed a block of the stage first. */
async function helperOf(jobKey: number, stage: number): Promise<ServerProcess> {
  const text = 'SELECT helper FROM helped WHERE job_key = $1 AND stage = $2';
  const { rows } = await cell.sql.query<{ helper: string }>(text, [jobKey, stage]);
  const found = helpers.find((helper) => rows[0] && helper.output().includes(rows[0].helper));
  if (!found) throw new Error('nobody helped');
  return found;
}

/** Once the training has ended, however it did. */
async function expectNothingLeft(): Promise<void> {
  await endJobs();
  const left = async () => ({
    blocks: (await cell.sql.query('SELECT FROM training_blocks')).rowCount,
    orphaned: (await cell.sql.query('SELECT FROM loose_objects')).rowCount,
    objects: cell.objects.kind === 'folder' ? (await filesIn(cell.objects.root)).length : 0,
  });
  await expect.poll(left, { timeout: 20_000 }).toEqual({ blocks: 0, orphaned: 0, objects: 0 });
}

const filesIn = async (root: string) =>
  (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());

test('each stage is helped, the model is the same to the byte, and nothing is left', async () => {
  const { sha256, attempt } = await startTraining();
  expect(await sha256).toBe(alone);
  const { rows } = await cell.sql.query('SELECT stage FROM helped WHERE job_key = $1', [attempt.job_key]);
  expect(rows).toHaveLength(3);
  const ends = helpers
    .flatMap((helper) => helper.output().split('\n'))
    .filter((line) => line.includes('helped'));
  for (const kernel of ['cooccurrence', 'regression'])
    expect(ends.some((line) => line.includes(kernel) && !line.includes('"blocks":0'))).toBe(true);
  await expectNothingLeft();
});

describe.each([
  { stage: 1, kernel: 'cooccurrence' },
  { stage: 2, kernel: 'regression' },
])('in the $kernel, a helper with a block', ({ stage }) => {
  test.each(['SIGKILL', 'SIGTERM'] as const)('that gets a %s costs its block only', async (signal) => {
    await using held = await holdBlocks(cell.sql, stage);
    const { jobId, attempt, sha256 } = await startTraining();
    await held.reached(jobId);
    const helper = await helperOf(attempt.job_key, stage);
    helper.signal(signal);
    await helper.ended;
    await held[Symbol.asyncDispose]();
    helpers = [...helpers.filter((other) => other !== helper), await cell.startWorker()];
    expect(await sha256).toBe(alone);
    await expectNothingLeft();
  });
});

test('a result that is damaged in the store is computed again', async () => {
  const { root } = cell.objects as { root: string };
  const { sha256 } = await startTraining();
  let damaged = 0;
  const timer = setInterval(() => {
    void filesIn(root)
      .then(async (files) => {
        for (const { name, parentPath } of files) {
          if (!name.includes('-out-')) continue;
          // Only a file that is still there: the store removes them, and a new one would stay.
          await writeFile(join(parentPath, name), 'garbage', { flag: 'r+' });
          damaged++;
        }
      })
      .catch(() => undefined);
  }, 5);
  expect(await sha256).toBe(alone);
  clearInterval(timer);
  expect(damaged).toBeGreaterThan(0);
});

test('without a store, the training computes everything itself', async () => {
  const root = '/proc/no-such-folder';
  const { sha256 } = await startTraining({ kind: 'folder', root });
  expect(await sha256).toBe(alone);
});

test('a helper goes on with other work after its training was canceled', async () => {
  await using held = await holdBlocks(cell.sql, 2);
  const { jobId, attempt, sha256 } = await startTraining();
  await held.reached(jobId);
  await cell.sql.query(`UPDATE jobs SET job_status = 'CANCELED' WHERE job_key = $1`, [attempt.job_key]);
  const helper = await helperOf(attempt.job_key, 2);
  await held[Symbol.asyncDispose]();
  await expectLogged(helper, 'helped with a training');
  // A worker would have ended the thread.
  await sha256;
  await expectNothingLeft();
});
