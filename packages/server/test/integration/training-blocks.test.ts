import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/postgres/pool.ts';
import {
  claimBlock,
  completeBlock,
  deleteStage,
  deleteStaleBlocks,
  findOfferedStage,
  findStageState,
  insertBlock,
  listBlocks,
  releaseBlocks,
  type SharedStage,
  takeOverBlock,
} from '../../src/storage/postgres/training-blocks.ts';
import type { Caller } from './caller.ts';
import { type JobCell, startJobCell } from './job-cell.ts';
import { makeProject, submit, type TestProject } from './training.ts';

let cell: JobCell;
let db: Database;
let first: Owned;
let second: Owned;

interface Owned {
  readonly caller: Caller;
  readonly project: TestProject;
}

beforeAll(async () => {
  // Without a worker nobody runs the jobs, nor sends their heartbeats.
  cell = await startJobCell({ env: { JOB_HEARTBEAT_SECONDS: '60' } });
  db = openDatabase({ url: cell.databaseUrl, poolSize: 2, onIdleError: () => undefined });
  const make = async () => {
    const caller = await cell.newCaller();
    return { caller, project: await makeProject(caller) };
  };
  first = await make();
  second = await make();
});
afterAll(async () => {
  await db.close();
  await cell[Symbol.asyncDispose]();
});

const lostSeconds = 10;
const claimantOf = (workerId: string) => ({ workerId, lostSeconds });
const output = { object_key: 'models/job/1-1-0-out-1.tgb', size: 1, sha256: 'a' };
const fits = { version: 'v1', memoryBytes: 1200, threads: 2 };
const size = { memory_bytes: 1000, thread_bytes: 100 };

/** Workers, with the seconds since they were last seen. */
async function setWorkers(workers: Readonly<Record<string, number>>): Promise<void> {
  await cell.sql.query('DELETE FROM workers');
  for (const [id, seconds] of Object.entries(workers))
    await cell.sql.query(`INSERT INTO workers VALUES ($1, clock_timestamp() - $2 * interval '1 second')`, [
      id,
      seconds,
    ]);
}

/** A running training with as many blocks. */
async function startStage(of = first, blocks = 2): Promise<SharedStage> {
  const jobId = await submit(of.caller, of.project);
  const { rows } = await cell.sql.query<{ job_key: number }>(
    `UPDATE jobs SET job_status = 'RUNNING', attempt = 1, started_at = clock_timestamp(), heartbeat_at = clock_timestamp()
      WHERE job_id = $1 RETURNING job_key`,
    [jobId],
  );
  const stage = { job_key: rows[0]?.job_key ?? 0, attempt: 1, stage: 1 };
  for (let block = 0; block < blocks; block++)
    await insertBlock(db, stage, { block, owner: 'owner', version: 'v1', ...size, task: {} });
  return stage;
}

async function claim(stage: SharedStage, workerId: string) {
  const claimed = await claimBlock(db, stage, claimantOf(workerId));
  if (!claimed) throw new Error('no block is free');
  return claimed;
}

beforeEach(async () => {
  await cell.sql.query(`DELETE FROM training_blocks; UPDATE jobs SET job_status = 'CANCELED'`);
  await setWorkers({ owner: 0, a: 0, b: 0 });
});

test('a block has one worker at a time, until that is not seen any more', async () => {
  const stage = await startStage();
  expect(await claimBlock(db, stage, claimantOf('a'))).toMatchObject({ block: 0, claim: 1 });
  expect(await claimBlock(db, stage, claimantOf('b'))).toMatchObject({ block: 1, claim: 1 });
  expect(await claimBlock(db, stage, claimantOf('b'))).toBeUndefined();
  await setWorkers({ owner: 0, a: lostSeconds + 1, b: 0 });
  expect(await claimBlock(db, stage, claimantOf('b'))).toMatchObject({ block: 0, claim: 2 });
});

test('the result of a worker that lost the block is ignored', async () => {
  const stage = await startStage();
  await claim(stage, 'a');
  await setWorkers({ owner: 0, b: 0 });
  await claim(stage, 'b');
  expect(await completeBlock(db, stage, { block: 0, claim: 1 }, output)).toBe(false);
  expect(await completeBlock(db, stage, { block: 0, claim: 2 }, output)).toBe(true);
  expect(await completeBlock(db, stage, { block: 0, claim: 2 }, output)).toBe(false);
});

test('a training can take a block back, and the result of the helper is then ignored', async () => {
  const stage = await startStage();
  const claimed = await claim(stage, 'a');
  expect(await takeOverBlock(db, stage, 'owner', 0)).toBe(true);
  expect(await completeBlock(db, stage, claimed, output)).toBe(false);
  const again = await claim(stage, 'a');
  expect(await completeBlock(db, stage, again, output)).toBe(true);
  expect(await takeOverBlock(db, stage, 'owner', again.block)).toBe(false);
});

test('nothing is claimed, completed or inserted for an attempt that has lost its job, and its rows are deleted', async () => {
  const stage = await startStage();
  const claimed = await claim(stage, 'a');
  await cell.sql.query('UPDATE jobs SET attempt = 2 WHERE job_key = $1', [stage.job_key]);
  expect(await completeBlock(db, stage, claimed, output)).toBe(false);
  expect(await claimBlock(db, stage, claimantOf('b'))).toBeUndefined();
  expect(await findOfferedStage(db, claimantOf('b'), fits)).toBeUndefined();
  expect(await findStageState(db, stage)).toMatchObject({ is_open: false });
  const block = { block: 9, owner: 'owner', version: 'v1', ...size, task: {} };
  await expect(insertBlock(db, stage, block)).rejects.toThrow('has lost the job');
  await deleteStaleBlocks(db);
  expect(await listBlocks(db, stage)).toEqual([]);
});

test('a worker that stops releases its blocks at once', async () => {
  const stage = await startStage();
  const claimed = await claim(stage, 'a');
  await releaseBlocks(db, stage, 'a');
  expect(await completeBlock(db, stage, claimed, output)).toBe(false);
  expect(await claimBlock(db, stage, claimantOf('b'))).toMatchObject({ block: 0 });
});

test('helpers go to the account with the fewest, and only to blocks that they can compute', async () => {
  const [mine, other] = [await startStage(first, 3), await startStage(second)];
  expect(await findOfferedStage(db, claimantOf('a'), fits)).toMatchObject(mine);
  // One helper, which writes one result and computes the next.
  await claimBlock(db, mine, claimantOf('a'));
  await claimBlock(db, mine, claimantOf('a'));
  expect(await findOfferedStage(db, claimantOf('b'), fits)).toMatchObject(other);
  await claimBlock(db, other, claimantOf('b'));
  expect(await findOfferedStage(db, claimantOf('c'), fits)).toMatchObject(mine);
  for (const unfit of [
    { ...fits, version: 'v2' },
    { ...fits, memoryBytes: 1199 },
    { ...fits, threads: 3 },
  ])
    expect(await findOfferedStage(db, claimantOf('c'), unfit)).toBeUndefined();
  // A worker does not help itself.
  expect(await findOfferedStage(db, claimantOf('owner'), fits)).toBeUndefined();
});

test('a stage that ends deletes its rows and earlier ones, and gives up its objects only', async () => {
  const stage = await startStage();
  const keys = ['models/job_a/1-1-0-in.tgb', 'models/job_a/1-10-0-in.tgb', 'models/job_a/1.tgm'];
  await cell.sql.query('INSERT INTO loose_objects SELECT unnest($1::text[]), $2, 1', [keys, stage.job_key]);
  const later = { ...stage, stage: 2 };
  await insertBlock(db, later, { block: 0, owner: 'owner', version: 'v1', ...size, task: {} });
  await deleteStage(db, stage, 'models/job_a/1-1-');
  expect(await listBlocks(db, stage)).toEqual([]);
  expect(await listBlocks(db, later)).toHaveLength(1);
  const { rows } = await cell.sql.query('SELECT object_key FROM loose_objects WHERE job_key IS NULL');
  expect(rows).toEqual([{ object_key: keys[0] }]);
  await deleteStage(db, { ...stage, stage: 3 }, 'models/job_a/1-3-');
  expect(await listBlocks(db, later)).toEqual([]);
});

test('a helper notices that a training waits', async () => {
  const stage = await startStage();
  expect(await findStageState(db, stage)).toEqual({ is_needed: false, is_open: true });
  await submit(second.caller, second.project);
  expect(await findStageState(db, stage)).toEqual({ is_needed: true, is_open: true });
});
