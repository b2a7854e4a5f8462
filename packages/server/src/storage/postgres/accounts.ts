import { epochMs } from './epoch.ts';
import type { Queryable, Statement } from './pool.ts';

export interface PlanRow {
  readonly plan: string;
  readonly max_event_shards: number;
  readonly max_training_hours: number | null;
  readonly max_qps: number | null;
}

export interface AccountRow extends PlanRow {
  readonly account_id: string;
  readonly name: string;
  readonly created_ts: number;
}

const upsertPlanStatement: Statement = {
  name: 'upsert_plan',
  text: `INSERT INTO plans (plan, max_event_shards, max_training_hours, max_qps) VALUES ($1, $2, $3, $4)
    ON CONFLICT (plan) DO UPDATE SET max_event_shards = excluded.max_event_shards,
      max_training_hours = excluded.max_training_hours, max_qps = excluded.max_qps`,
};

export async function upsertPlan(db: Queryable, plan: PlanRow): Promise<void> {
  await db.rows(upsertPlanStatement, [
    plan.plan,
    plan.max_event_shards,
    plan.max_training_hours,
    plan.max_qps,
  ]);
}

const listPlansStatement: Statement = {
  name: 'list_plans',
  text: 'SELECT plan, max_event_shards, max_training_hours, max_qps FROM plans ORDER BY plan',
};

export async function listPlans(db: Queryable): Promise<PlanRow[]> {
  return db.rows(listPlansStatement, []);
}

const insertAccountStatement: Statement = {
  name: 'insert_account',
  text: `INSERT INTO accounts (account_id, name, plan)
    SELECT $1, $2, plan FROM plans WHERE plan = $3 RETURNING account_id`,
};

/** False when there is no such plan. */
export async function insertAccount(
  db: Queryable,
  account: { account_id: string; name: string; plan: string },
): Promise<boolean> {
  const rows = await db.rows(insertAccountStatement, [account.account_id, account.name, account.plan]);
  return rows.length === 1;
}

const updateAccountPlanStatement: Statement = {
  name: 'update_account_plan',
  text: `UPDATE accounts SET plan = $2 WHERE account_id = $1 AND EXISTS (SELECT FROM plans WHERE plan = $2)
    RETURNING account_id`,
};

/** False when there is no such account or plan. */
export async function updateAccountPlan(db: Queryable, accountId: string, plan: string): Promise<boolean> {
  return (await db.rows(updateAccountPlanStatement, [accountId, plan])).length === 1;
}

const listAccountsStatement: Statement = {
  name: 'list_accounts',
  text: `SELECT account_id, name, ${epochMs('created_at')} AS created_ts, p.*
    FROM accounts JOIN plans p USING (plan) ORDER BY account_id`,
};

/** All of them: a cell's operator asks, at a terminal. */
export async function listAccounts(db: Queryable): Promise<AccountRow[]> {
  return db.rows(listAccountsStatement, []);
}

const lockEventShardsStatement: Statement = {
  name: 'lock_event_shards',
  text: `SELECT p.max_event_shards FROM accounts a JOIN plans p USING (plan) WHERE a.account_id = $1
    FOR NO KEY UPDATE OF a`,
};

const sumEventShardsStatement: Statement = {
  name: 'sum_event_shards',
  text: `SELECT coalesce(sum(num_shards), 0)::int AS used FROM datasets
    WHERE account_id = $1 AND kind = 'event' AND deleted_at IS NULL`,
};

/**
 * What the plan allows and what is used, with the account's row locked until the transaction ends: two
 * creates of one account cannot both take the last shard.
 */
export async function lockEventShards(
  db: Queryable,
  accountId: string,
): Promise<{ cap: number; used: number }> {
  const [plan] = await db.rows<{ max_event_shards: number }>(lockEventShardsStatement, [accountId]);
  const [sum] = await db.rows<{ used: number }>(sumEventShardsStatement, [accountId]);
  return { cap: plan?.max_event_shards ?? 0, used: sum?.used ?? 0 };
}

const lockTrainingStatement: Statement = {
  name: 'lock_training_hours',
  text: `SELECT p.max_training_hours AS cap, a.training_seconds / 3600 AS used
    FROM accounts a JOIN plans p USING (plan) WHERE a.account_id = $1 FOR NO KEY UPDATE OF a`,
};

/** Training hours that the plan allows (null: any) and that are used, with the account's row locked until the transaction ends. */
export async function lockTrainingHours(
  db: Queryable,
  accountId: string,
): Promise<{ cap: number | null; used: number }> {
  const [row] = await db.rows<{ cap: number | null; used: number }>(lockTrainingStatement, [accountId]);
  return row ?? { cap: 0, used: 0 };
}

const lockQpsStatement: Statement = {
  name: 'lock_qps',
  text: `SELECT p.max_qps AS cap FROM accounts a JOIN plans p USING (plan) WHERE a.account_id = $1
    FOR NO KEY UPDATE OF a`,
};

/** Queries per second that the plan allows a deployment (null: any), with the account's row locked until the transaction ends. */
export async function lockQps(db: Queryable, accountId: string): Promise<{ cap: number | null }> {
  const [row] = await db.rows<{ cap: number | null }>(lockQpsStatement, [accountId]);
  return row ?? { cap: 0 };
}

const lockAccountStatement: Statement = {
  name: 'lock_account',
  text: 'SELECT FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE',
};

/** Until the transaction ends: two submissions of one account do not get the same turn. */
export async function lockAccount(tx: Queryable, accountId: string): Promise<void> {
  await tx.rows(lockAccountStatement, [accountId]);
}

const addTrainingStatement: Statement = {
  name: 'add_training_seconds',
  text: 'UPDATE accounts SET training_seconds = training_seconds + $2 WHERE account_id = $1',
};

export async function addTrainingSeconds(db: Queryable, accountId: string, seconds: number): Promise<void> {
  await db.rows(addTrainingStatement, [accountId, seconds]);
}
