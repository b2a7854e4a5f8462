import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { expect } from 'vitest';
import { partitionTable } from '../../../src/datasets/rows/datasets.ts';
import { ofThisDatabase } from '../stack/database.ts';
import type { ServerProcess } from '../stack/server-process.ts';
import { fixedParameters, type TestProject } from '../stack/training.ts';
import type { CellSwift } from './job-swift.ts';

/** Projects by the stage that takes longest in their trainings; how long depends on the speed of the algorithm. */
export const longSearch = { users: 1000, items: 1000, each: 10 };
export const longFit = {
  users: 2000,
  items: 2000,
  each: 30,
  parameters: { ...fixedParameters, neighbors: 1000 },
};
export const endlessSearch = { users: 2000, items: 4000, each: 60 };

/** Keeps a job in a stage, or makes the stage long enough, until disposed. */
export interface HeldStage extends AsyncDisposable {
  /** Returns as soon as the attempt has reached it. */
  reached(jobId: string, attempt?: number): Promise<void>;
}

/** The ID of a job that `act` meets in the stage. The stage goes on afterwards. */
export async function meetInStage(
  holding: HeldStage | Promise<HeldStage>,
  submit: () => Promise<string>,
  act: (jobId: string) => Promise<unknown>,
): Promise<string> {
  await using held = await holding;
  const jobId = await submit();
  await held.reached(jobId);
  await act(jobId);
  return jobId;
}

/** Ends a worker by a signal. */
export async function endBy(worker: ServerProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  worker.signal(signal);
  expect(await worker.ended).toBe(signal === 'SIGKILL' ? signal : 0);
}

/** On a machine with a load of ten, a worker claims a job and starts its thread within this time. */
const limitMs = 60_000;

/** For a stage that is long by itself, because of the amount of computation. */
export function watchStage(sql: pg.Pool, stage: string): HeldStage {
  return {
    reached: (jobId, attempt = 1) => waitForStage(sql, jobId, stage, attempt),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Locks only the project's events, unless another dataset is in the same partition: nobody reads or writes them. */
export async function holdReading(
  sql: pg.Pool,
  { event_dataset_id }: Pick<TestProject, 'event_dataset_id'>,
): Promise<HeldStage> {
  const { rows } = await sql.query<{ kind: 'event'; partition: number }>(
    'SELECT kind, partition FROM datasets WHERE dataset_id = $1',
    [event_dataset_id],
  );
  if (!rows[0]) throw new Error('no such dataset');
  return holdTable(sql, partitionTable(rows[0]), 'ACCESS EXCLUSIVE');
}

/** Models can still be read, but a training cannot add one. */
export function holdPublishing(sql: pg.Pool): Promise<HeldStage> {
  return holdTable(sql, 'models', 'EXCLUSIVE');
}

/** An analysis has written its result, and cannot publish it. */
export function holdPublishingResult(sql: pg.Pool): Promise<HeldStage> {
  return holdWrites(sql, 'DELETE ON loose_objects', `OLD.object_key LIKE 'results/%'`);
}

/** The store accepts requests and does not respond: a training is then writing, an analysis reading. */
export function holdStore(
  sql: pg.Pool,
  swift: CellSwift,
  stage: 'writing' | 'reading' | 'exporting',
): HeldStage {
  const hanging = swift.hang();
  return {
    ...watchStage(sql, stage),
    [Symbol.asyncDispose]: async () => hanging[Symbol.dispose](),
  };
}

/** The job has written two parts of its result, and cannot write the third. */
export function holdThirdPart(sql: pg.Pool): Promise<HeldStage> {
  return holdWrites(sql, 'INSERT ON loose_objects', `NEW.object_key LIKE '%/part-00003.%'`);
}

/** The job has written all parts of its result, and cannot publish them. */
export function holdPublishingParts(sql: pg.Pool): Promise<HeldStage> {
  return holdWrites(sql, 'DELETE ON job_parts', 'OLD.part = 3');
}

/** The number of an advisory lock that nothing else takes. */
const heldLock = 7_151_001;

/** Holds statements that write a row for which `when` is true. */
async function holdWrites(sql: pg.Pool, writes: string, when: string): Promise<HeldStage> {
  const client = await sql.connect();
  await client.query(`CREATE OR REPLACE FUNCTION hold_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock(${heldLock}); RETURN coalesce(NEW, OLD); END $$`);
  const [, , table] = writes.split(' ');
  await client.query(
    `CREATE TRIGGER hold_write BEFORE ${writes} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION hold_write()`,
  );
  await client.query(`SELECT pg_advisory_lock(${heldLock})`);
  let isHeld = true;
  return {
    reached: async (jobId, attempt = 1) => {
      const isWaiting = `SELECT FROM jobs, pg_locks WHERE job_id = $1 AND attempt = $2 AND job_status = 'RUNNING'
        AND NOT granted AND locktype = 'advisory' AND objid = $3
        AND ${ofThisDatabase}`;
      await waitForRow(sql, 'one who waits to write', isWaiting, [jobId, attempt, heldLock]);
    },
    [Symbol.asyncDispose]: async () => {
      if (!isHeld) return;
      isHeld = false;
      await client.query(`SELECT pg_advisory_unlock(${heldLock})`);
      await client.query(`DROP TRIGGER hold_write ON ${table}`);
      client.release();
    },
  };
}

async function holdTable(sql: pg.Pool, table: string, mode: string): Promise<HeldStage> {
  const client = await sql.connect();
  // A test may stop PostgreSQL: the lock is then gone.
  let broken = false;
  client.on('error', () => {
    broken = true;
  });
  await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
  return {
    // A session that waits for the lock has reached the stage; its last progress report may not be written yet.
    reached: async (jobId, attempt = 1) => {
      const isWaiting = `SELECT FROM jobs, pg_locks JOIN pg_class ON pg_class.oid = relation
        WHERE job_id = $1 AND attempt = $2 AND job_status = 'RUNNING' AND NOT granted AND relname = $3
          AND ${ofThisDatabase}`;
      await waitForRow(sql, `one who waits for ${table}`, isWaiting, [jobId, attempt, table]);
    },
    [Symbol.asyncDispose]: async () => {
      if (!broken) await client.query('ROLLBACK');
      client.release(broken);
    },
  };
}

async function waitForStage(sql: pg.Pool, jobId: string, stage: string, attempt: number): Promise<void> {
  const isIn = `SELECT FROM jobs
    WHERE job_id = $1 AND attempt = $2 AND job_status = 'RUNNING' AND progress->>'stage' = $3`;
  await waitForRow(sql, `${stage} of attempt ${attempt}`, isIn, [jobId, attempt, stage]);
}

async function waitForRow(sql: pg.Pool, what: string, text: string, values: unknown[]): Promise<void> {
  for (const end = performance.now() + limitMs; ; ) {
    if ((await sql.query(text, values)).rowCount) return;
    if (performance.now() > end) throw new Error(`${what}: not seen within ${limitMs} ms`);
    await sleep(5);
  }
}
