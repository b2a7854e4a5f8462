import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { partitionTable } from '../../src/storage/postgres/datasets.ts';
import type { CellSwift } from './job-swift.ts';
import { fixedParameters, type MadeProject } from './training.ts';

/** Projects by the stage that their trainings take longest in; how long is a matter of how fast the algorithm is. */
export const longSearch = { users: 1000, items: 1000, each: 10 };
export const longFit = {
  ...{ users: 2000, items: 2000, each: 30 },
  parameters: { ...fixedParameters, neighbors: 1000 },
};
export const endlessSearch = { users: 2000, items: 4000, each: 60 };

/** A stage of training that a job stays in, or stays in for long enough, until disposed of. */
export interface HeldStage extends AsyncDisposable {
  /** Returns as soon as the attempt is in it. */
  reached(jobId: string, attempt?: number): Promise<void>;
}

/** On a machine with work for ten, a worker takes a job and starts its thread within this. */
const limitMs = 60_000;

/** For a stage that takes a while by itself, by how much there is to compute. */
export function watchStage(sql: pg.Pool, stage: string): HeldStage {
  return {
    reached: (jobId, attempt = 1) => waitForStage(sql, jobId, stage, attempt),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** Of the project's events alone, as far as no other dataset is in the same partition. */
export async function holdReading(sql: pg.Pool, { event_dataset_id }: MadeProject): Promise<HeldStage> {
  const { rows } = await sql.query<{ kind: 'event'; partition: number }>(
    'SELECT kind, partition FROM datasets WHERE dataset_id = $1',
    [event_dataset_id],
  );
  if (!rows[0]) throw new Error('no such dataset');
  return holdTable(sql, partitionTable(rows[0]), 'ACCESS EXCLUSIVE');
}

/** Models are read all the while; a training cannot add one, nor an analysis make sure of its own. */
export function holdPublishing(sql: pg.Pool): Promise<HeldStage> {
  return holdTable(sql, 'models', 'EXCLUSIVE');
}

/** The store takes what it is sent, and does not answer: for a training that is when it writes, for an analysis when it reads. */
export function holdStore(sql: pg.Pool, swift: CellSwift, stage: 'writing' | 'reading'): HeldStage {
  const hanging = swift.hang();
  return {
    ...watchStage(sql, stage),
    [Symbol.asyncDispose]: async () => hanging[Symbol.dispose](),
  };
}

async function holdTable(sql: pg.Pool, table: string, mode: string): Promise<HeldStage> {
  const client = await sql.connect();
  // A test may end PostgreSQL itself: the lock is gone with it.
  let broken = false;
  client.on('error', () => {
    broken = true;
  });
  await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
  return {
    // Who waits for a lock has come to the place; what it last said of itself may still be on its way.
    reached: async (jobId, attempt = 1) => {
      const isWaiting = `SELECT FROM jobs, pg_locks JOIN pg_class ON pg_class.oid = relation
        WHERE job_id = $1 AND attempt = $2 AND job_status = 'RUNNING' AND NOT granted AND relname = $3`;
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
