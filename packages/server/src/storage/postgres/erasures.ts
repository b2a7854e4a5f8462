import type { Queryable, Statement } from './pool.ts';
import { epochMs } from './sql-fragments.ts';

export interface ErasureRow {
  readonly erasure_id: string;
  readonly account_id: string;
  /** Null once the erasure is done. */
  readonly user_id: string | null;
  readonly stage: 'RECORDS' | 'SNAPSHOTS' | 'RESULTS' | 'DECISIONS' | 'FILES' | 'DONE';
  readonly position: number;
  readonly round: number;
  /** Counts by "KIND location". */
  readonly removed: Readonly<Record<string, number>>;
  readonly created_ts: number;
  readonly records_deleted_ts: number | null;
  readonly finished_ts: number | null;
}

/** An erasure that is not done. */
export type RunningErasure = ErasureRow & { readonly user_id: string };

const columns = `erasure_id, account_id, user_id, stage, position::float8 AS position, round, removed, ${epochMs('created_at')} AS created_ts,
  ${epochMs('records_deleted_at')} AS records_deleted_ts, ${epochMs('finished_at')} AS finished_ts`;

const countStatement: Statement = {
  name: 'count_running_erasures',
  text: 'SELECT count(*)::int AS running FROM erasures WHERE account_id = $1 AND user_id IS NOT NULL AND user_id <> $2',
};

/** Counts the account's running erasures of other users. Uses erasures_running. */
export async function countRunningErasures(
  db: Queryable,
  accountId: string,
  userId: string,
): Promise<number> {
  const [row] = await db.rows<{ running: number }>(countStatement, [accountId, userId]);
  return row?.running ?? 0;
}

const startStatement: Statement = {
  name: 'start_erasure',
  text: `INSERT INTO erasures AS e (erasure_id, account_id, user_id, due_at)
    VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')
    ON CONFLICT (account_id, user_id) WHERE user_id IS NOT NULL DO UPDATE SET stage = 'RECORDS', position = 0,
      round = e.round + 1, records_deleted_at = NULL, snapshots_removed_at = NULL, due_at = excluded.due_at
    RETURNING ${columns}`,
};

/** Starts the account's erasure of the user, or restarts the running one. No worker claims it for `seconds`. */
export async function startErasure(
  tx: Queryable,
  accountId: string,
  userId: string,
  erasureId: string,
  seconds: number,
): Promise<ErasureRow> {
  const [row] = await tx.rows<ErasureRow>(startStatement, [erasureId, accountId, userId, seconds]);
  if (!row) throw new Error('the erasure was not started');
  return row;
}

const findStatement: Statement = {
  name: 'find_erasure',
  text: `SELECT ${columns} FROM erasures WHERE erasure_id = $1 AND account_id = $2`,
};

/** By primary key, then checks the account. */
export async function findErasure(
  db: Queryable,
  accountId: string,
  erasureId: string,
): Promise<ErasureRow | undefined> {
  const [row] = await db.rows<ErasureRow>(findStatement, [erasureId, accountId]);
  return row;
}

const claimStatement: Statement = {
  name: 'claim_erasure',
  text: `UPDATE erasures SET due_at = clock_timestamp() + $1 * interval '1 second'
    WHERE erasure_id = (SELECT erasure_id FROM erasures WHERE user_id IS NOT NULL AND due_at <= clock_timestamp()
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING ${columns}`,
};

/** The erasure that has waited longest, of any account. Safe if a second worker claims it after `seconds`. */
export async function claimErasure(db: Queryable, seconds: number): Promise<RunningErasure | undefined> {
  const [row] = await db.rows<RunningErasure>(claimStatement, [seconds]);
  return row;
}

const releaseStatement: Statement = {
  name: 'release_erasure',
  text: `UPDATE erasures SET due_at = clock_timestamp() + $2 * interval '1 second' WHERE erasure_id = $1`,
};

export async function releaseErasure(db: Queryable, erasureId: string, afterSeconds: number): Promise<void> {
  await db.rows(releaseStatement, [erasureId, afterSeconds]);
}

const saveStepStatement: Statement = {
  name: 'note_erased',
  text: `UPDATE erasures SET
      removed = CASE WHEN $5::int > 0
        THEN removed || jsonb_build_object($4::text, coalesce((removed->>$4::text)::int, 0) + $5::int) ELSE removed END,
      object_keys = object_keys || $6::text[],
      position = CASE WHEN round = $2 THEN $3 ELSE position END
    WHERE erasure_id = $1 AND user_id IS NOT NULL`,
};

/**
 * Saves a step's count and position, in the step's transaction. The count is kept even if the erasure was restarted
 * meanwhile.
 */
export async function saveErasureStep(
  tx: Queryable,
  { erasure_id, round }: ErasureRow,
  step: { position: number; kind: string; where: string; count: number; objectKeys?: readonly string[] },
): Promise<void> {
  const values = [erasure_id, round, step.position, `${step.kind} ${step.where}`, step.count];
  await tx.rows(saveStepStatement, [...values, step.objectKeys ?? []]);
}

const nextStages = {
  RECORDS: `stage = 'SNAPSHOTS', records_deleted_at = clock_timestamp()`,
  SNAPSHOTS: `stage = 'RESULTS', snapshots_removed_at = clock_timestamp()`,
  RESULTS: `stage = 'DECISIONS'`,
  DECISIONS: `stage = 'FILES'`,
  FILES: `stage = 'DONE', user_id = NULL, object_keys = '{}', finished_at = clock_timestamp()`,
} as const;

/** Moves to the next stage. Does nothing if the erasure was restarted meanwhile. */
export async function endStage(
  db: Queryable,
  { erasure_id, round }: ErasureRow,
  stage: keyof typeof nextStages,
): Promise<void> {
  const statement = {
    name: `end_erasure_stage_${stage}`,
    text: `UPDATE erasures SET position = 0, ${nextStages[stage]} WHERE erasure_id = $1 AND round = $2 AND stage = '${stage}'`,
  };
  await db.rows(statement, [erasure_id, round]);
}

const deployedStatement: Statement = {
  name: 'find_deployment_of_account',
  text: `SELECT FROM projects p JOIN deployments d USING (project_key) WHERE p.account_id = $1 LIMIT 1`,
};

/** Whether recommendation calls of the account may be answered now. */
export async function hasDeployments(db: Queryable, accountId: string): Promise<boolean> {
  return (await db.rows(deployedStatement, [accountId])).length > 0;
}
