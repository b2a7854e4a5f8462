import type { Attempt } from './attempts.ts';
import type { Queryable, Statement } from './pool.ts';

/** A part of a training that is shared as a whole: its blocks read the same bytes. Fenced by the attempt. */
export interface SharedStage extends Attempt {
  readonly stage: number;
}

/** An object in the store, as a block refers to it. */
export interface BlockObject {
  readonly object_key: string;
  readonly size: number;
  readonly sha256: string;
}

/** A worker, and for how long it may be silent before its claims are void. */
export interface Claimant {
  readonly workerId: string;
  readonly lostSeconds: number;
}

const isRunning = (block: string) => `EXISTS (SELECT FROM jobs j
  WHERE j.job_key = ${block}.job_key AND j.attempt = ${block}.attempt AND j.job_status = 'RUNNING')`;

const isLive = (
  worker: string,
  lostSeconds: string,
) => `EXISTS (SELECT FROM workers w WHERE w.worker_id = ${worker}
  AND w.seen_at > clock_timestamp() - ${lostSeconds} * interval '1 second')`;

/** Without a result, and not claimed by a live worker. */
const isFree = (block: string, lostSeconds: string) =>
  `${block}.output IS NULL AND (${block}.claimed_by IS NULL OR NOT ${isLive(`${block}.claimed_by`, lostSeconds)})`;

const countStatement: Statement = {
  name: 'count_other_workers',
  text: `SELECT count(*)::int AS workers FROM workers
    WHERE worker_id <> $1 AND seen_at > clock_timestamp() - $2 * interval '1 second'`,
};

/** How many other workers are alive: one row per process. */
export async function countOtherWorkers(db: Queryable, { workerId, lostSeconds }: Claimant): Promise<number> {
  const [row] = await db.rows<{ workers: number }>(countStatement, [workerId, lostSeconds]);
  return row?.workers ?? 0;
}

export interface NewBlock {
  readonly block: number;
  readonly owner: string;
  readonly version: string;
  readonly memory_bytes: number;
  readonly thread_bytes: number;
  readonly task: object;
}

const insertStatement: Statement = {
  name: 'insert_training_block',
  text: `INSERT INTO training_blocks (job_key, attempt, stage, block, owner, version, memory_bytes, thread_bytes, task)
    SELECT job_key, attempt, $3, $4, $5, $6, $7, $8, $9 FROM jobs
    WHERE job_key = $1 AND attempt = $2 AND job_status = 'RUNNING' RETURNING block`,
};

/** Throws, and writes nothing, if the attempt has lost the job. */
export async function insertBlock(
  db: Queryable,
  { job_key, attempt, stage }: SharedStage,
  { block, owner, version, memory_bytes, thread_bytes, task }: NewBlock,
): Promise<void> {
  const values = [job_key, attempt, stage, block, owner, version, memory_bytes, thread_bytes, task];
  const inserted = await db.rows(insertStatement, values);
  if (inserted.length === 0) throw new Error(`attempt ${attempt} has lost the job`);
}

export interface BlockState {
  readonly block: number;
  readonly is_claimed: boolean;
  /** Since the claim. */
  readonly seconds: number;
  readonly output: BlockObject | null;
}

const listStatement: Statement = {
  name: 'list_training_blocks',
  text: `SELECT b.block, b.output, b.claimed_by IS NOT NULL AS is_claimed,
      coalesce(extract(epoch FROM clock_timestamp() - b.claimed_at), 0)::float8 AS seconds
    FROM training_blocks b WHERE b.job_key = $1 AND b.attempt = $2 AND b.stage = $3 ORDER BY b.block`,
};

export async function listBlocks(
  db: Queryable,
  { job_key, attempt, stage }: SharedStage,
): Promise<BlockState[]> {
  return db.rows(listStatement, [job_key, attempt, stage]);
}

export interface OfferedStage<Task> extends SharedStage {
  readonly job_id: string;
  /** Of one of its blocks. */
  readonly task: Task;
}

const findStatement: Statement = {
  name: 'find_offered_stage',
  text: `WITH helped AS (
      SELECT k.account_id, count(DISTINCT c.claimed_by) AS helpers
      FROM training_blocks c JOIN jobs k ON k.job_key = c.job_key
      WHERE c.output IS NULL AND c.claimed_by <> c.owner AND ${isLive('c.claimed_by', '$2')}
      GROUP BY k.account_id)
    SELECT b.job_key, b.attempt, b.stage, b.task, j.job_id
    FROM training_blocks b JOIN jobs j ON j.job_key = b.job_key AND j.attempt = b.attempt AND j.job_status = 'RUNNING'
      LEFT JOIN helped h ON h.account_id = j.account_id
    WHERE b.owner <> $1 AND b.version = $3 AND b.memory_bytes + $5 * b.thread_bytes <= $4 AND ${isFree('b', '$2')}
    ORDER BY coalesce(h.helpers, 0), b.job_key, b.stage, b.block LIMIT 1`,
};

/** What a worker can compute. */
interface Helper {
  readonly version: string;
  readonly memoryBytes: number;
  readonly threads: number;
}

/**
 * Where a worker can help: with the trainings of the account that has the fewest helpers, the oldest training first. Reads all
 * blocks, at most a few hundred per running training, and looks up their jobs and workers by primary key.
 */
export async function findOfferedStage<Task>(
  db: Queryable,
  { workerId, lostSeconds }: Claimant,
  { version, memoryBytes, threads }: Helper,
): Promise<OfferedStage<Task> | undefined> {
  const [row] = await db.rows<OfferedStage<Task>>(findStatement, [
    workerId,
    lostSeconds,
    version,
    memoryBytes,
    threads,
  ]);
  return row;
}

export interface ClaimedBlock<Task> {
  readonly block: number;
  readonly claim: number;
  readonly task: Task;
}

const claimed = (which: string) => `UPDATE training_blocks t
    SET claim = t.claim + 1, claimed_by = $4, claimed_at = clock_timestamp()
    WHERE t.job_key = $1 AND t.attempt = $2 AND t.stage = $3 AND t.block = (
      SELECT b.block FROM training_blocks b
      WHERE b.job_key = $1 AND b.attempt = $2 AND b.stage = $3 AND ${isRunning('b')} AND ${which}
      ORDER BY b.block LIMIT 1 FOR UPDATE OF b SKIP LOCKED)
    RETURNING t.block, t.claim, t.task`;

const claimStatement: Statement = { name: 'claim_training_block', text: claimed(isFree('b', '$5')) };

/** Claims the next free block for the worker. Undefined if there is none, or if the attempt has lost the job. */
export async function claimBlock<Task>(
  db: Queryable,
  { job_key, attempt, stage }: SharedStage,
  { workerId, lostSeconds }: Claimant,
): Promise<ClaimedBlock<Task> | undefined> {
  const values = [job_key, attempt, stage, workerId, lostSeconds];
  const [row] = await db.rows<ClaimedBlock<Task>>(claimStatement, values);
  return row;
}

const takeOverStatement: Statement = {
  name: 'take_over_training_block',
  text: claimed('b.block = $5 AND b.output IS NULL'),
};

/** Claims a block even if another worker has it. False if it has a result, or is about to get one. */
export async function takeOverBlock(
  db: Queryable,
  { job_key, attempt, stage }: SharedStage,
  workerId: string,
  block: number,
): Promise<boolean> {
  return (await db.rows(takeOverStatement, [job_key, attempt, stage, workerId, block])).length > 0;
}

const completeStatement: Statement = {
  name: 'complete_training_block',
  text: `UPDATE training_blocks t SET output = $6
    WHERE t.job_key = $1 AND t.attempt = $2 AND t.stage = $3 AND t.block = $4 AND t.claim = $5 AND t.output IS NULL
      AND ${isRunning('t')} RETURNING t.block`,
};

/** False, and nothing is written, if the claim is void or the attempt has lost the job. */
export async function completeBlock(
  db: Queryable,
  { job_key, attempt, stage }: SharedStage,
  { block, claim }: Pick<ClaimedBlock<unknown>, 'block' | 'claim'>,
  output: BlockObject,
): Promise<boolean> {
  const values = [job_key, attempt, stage, block, claim, output];
  return (await db.rows(completeStatement, values)).length > 0;
}

const releaseStatement: Statement = {
  name: 'release_training_blocks',
  text: `UPDATE training_blocks SET claim = claim + 1, claimed_by = NULL, claimed_at = NULL
    WHERE job_key = $1 AND attempt = $2 AND stage = $3 AND claimed_by = $4 AND output IS NULL`,
};

/** For a worker that stops to help. */
export async function releaseBlocks(
  db: Queryable,
  { job_key, attempt, stage }: SharedStage,
  workerId: string,
): Promise<void> {
  await db.rows(releaseStatement, [job_key, attempt, stage, workerId]);
}

const deleteStatement: Statement = {
  name: 'delete_training_stage',
  text: `WITH ended AS (
      DELETE FROM training_blocks WHERE job_key = $1 AND attempt = $2 AND stage <= $3
    ) UPDATE loose_objects SET job_key = NULL, attempt = NULL
      WHERE job_key = $1 AND attempt = $2 AND object_key > $4 AND object_key < $4 || '~'`,
};

/**
 * Deletes the blocks of a stage that is complete, and of earlier ones, where that may have failed. Gives up all objects that
 * begin with the prefix.
 */
export async function deleteStage(
  db: Queryable,
  { job_key, attempt, stage }: SharedStage,
  prefix: string,
): Promise<void> {
  await db.rows(deleteStatement, [job_key, attempt, stage, prefix]);
}

const stateStatement: Statement = {
  name: 'find_shared_stage',
  text: `SELECT EXISTS (SELECT FROM jobs WHERE job_type = 'TRAINING' AND job_status = 'PENDING'
        AND due_at <= clock_timestamp()) AS is_needed,
      EXISTS (SELECT FROM training_blocks b
        WHERE b.job_key = $1 AND b.attempt = $2 AND b.stage = $3 AND ${isRunning('b')}) AS is_open`,
};

export interface StageState {
  /** A training waits for a worker. */
  readonly is_needed: boolean;
  /** The stage has blocks, with or without a result. */
  readonly is_open: boolean;
}

/** Whether a worker should go on to help. By jobs_pending_by_turn and primary keys. */
export async function findStageState(
  db: Queryable,
  { job_key, attempt, stage }: SharedStage,
): Promise<StageState> {
  const [row] = await db.rows<StageState>(stateStatement, [job_key, attempt, stage]);
  return row ?? { is_needed: false, is_open: false };
}

const deleteStaleStatement: Statement = {
  name: 'delete_stale_blocks',
  text: `DELETE FROM training_blocks t WHERE NOT ${isRunning('t')}`,
};

/** Deletes blocks of attempts that ended. Their objects are orphaned objects of the same attempts. */
export async function deleteStaleBlocks(db: Queryable): Promise<void> {
  await db.rows(deleteStaleStatement, []);
}
