import type { DatasetKind } from '@tastegraph/contract';
import type { Database, Queryable } from '../../kernel/postgres/pool.ts';
import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { count, many, none, one, only, some } from '../../kernel/postgres/statement.ts';

/** Limits that every plan has. */
interface PlanCaps {
  readonly max_user_shards: number;
  readonly max_item_shards: number;
  readonly max_projects: number;
  readonly max_algorithms: number;
  readonly max_models: number;
}

type GivenCaps = { readonly [Cap in keyof PlanCaps]?: number | undefined };

interface PlanLimits {
  readonly plan: string;
  readonly max_event_shards: number;
  readonly max_training_hours: number | null;
  readonly max_qps: number | null;
}

export interface PlanRow extends PlanLimits, PlanCaps {}

export interface AccountRow extends PlanRow {
  readonly account_id: string;
  readonly name: string;
  readonly created_ts: number;
}

const planColumns = `plan, max_event_shards, max_training_hours, max_qps, max_user_shards, max_item_shards, max_projects,
  max_algorithms, max_models`;

const upsertLimits = none<[limits: PlanLimits]>(
  'upsert_plan',
  `INSERT INTO plans (plan, max_event_shards, max_training_hours, max_qps) VALUES ($1, $2, $3, $4)
    ON CONFLICT (plan) DO UPDATE SET max_event_shards = excluded.max_event_shards,
      max_training_hours = excluded.max_training_hours, max_qps = excluded.max_qps`,
  ({ plan, max_event_shards, max_training_hours, max_qps }) => [
    plan,
    max_event_shards,
    max_training_hours,
    max_qps,
  ],
);

const updateCaps = only<[plan: Pick<PlanLimits, 'plan'> & GivenCaps], PlanRow>(
  'update_plan_caps',
  `UPDATE plans SET max_user_shards = coalesce($2, max_user_shards), max_item_shards = coalesce($3, max_item_shards),
      max_projects = coalesce($4, max_projects), max_algorithms = coalesce($5, max_algorithms),
      max_models = coalesce($6, max_models)
    WHERE plan = $1 RETURNING ${planColumns}`,
  (plan) => [
    plan.plan,
    plan.max_user_shards ?? null,
    plan.max_item_shards ?? null,
    plan.max_projects ?? null,
    plan.max_algorithms ?? null,
    plan.max_models ?? null,
  ],
);

/** Absent caps keep their values; for a new plan they are the schema's defaults. */
export async function upsertPlan(db: Database, plan: PlanLimits & GivenCaps): Promise<PlanRow> {
  return db.transaction(async (tx) => {
    await upsertLimits(tx, plan);
    return updateCaps(tx, plan);
  });
}

export const listPlans = many<[], PlanRow>('list_plans', `SELECT ${planColumns} FROM plans ORDER BY plan`);

/** False if the plan does not exist. */
export const insertAccount = some<[account: { account_id: string; name: string; plan: string }]>(
  'insert_account',
  `INSERT INTO accounts (account_id, name, plan)
    SELECT $1, $2, plan FROM plans WHERE plan = $3 RETURNING account_id`,
  (account) => [account.account_id, account.name, account.plan],
);

/** False if the account or plan does not exist. */
export const updateAccountPlan = some<[accountId: string, plan: string]>(
  'update_account_plan',
  `UPDATE accounts SET plan = $2 WHERE account_id = $1 AND EXISTS (SELECT FROM plans WHERE plan = $2)
    RETURNING account_id`,
);

/** All accounts: only the operator's command line calls this. */
export const listAccounts = many<[], AccountRow>(
  'list_accounts',
  `SELECT account_id, name, ${epochMs('created_at')} AS created_ts, p.*
    FROM accounts JOIN plans p USING (plan) ORDER BY account_id`,
);

/** The current use of each resource that a plan caps. A training in progress counts as a model. */
const usedTexts = {
  user_shards: shardsOf('user'),
  item_shards: shardsOf('item'),
  event_shards: shardsOf('event'),
  projects: 'SELECT count(*)::int AS used FROM projects WHERE account_id = $1',
  algorithms: `SELECT ${countOf('algorithms')} AS used`,
  models: `SELECT ${countOf('models')}
    + (SELECT count(*) FROM jobs WHERE account_id = $1 AND job_type = 'TRAINING'
        AND job_status IN ('PENDING', 'RUNNING'))::int AS used`,
} as const;

/** SQL: the rows of an account's projects, looked up project by project: a join may read those of all accounts. */
function countOf(table: 'algorithms' | 'models'): string {
  return `(SELECT coalesce(sum((SELECT count(*) FROM ${table} t WHERE t.project_key = p.project_key)), 0)
    FROM projects p WHERE p.account_id = $1)::int`;
}

function shardsOf(kind: DatasetKind): string {
  return `SELECT coalesce(sum(num_shards), 0)::int AS used FROM datasets
    WHERE account_id = $1 AND kind = '${kind}' AND deleted_at IS NULL`;
}

export type CappedResource = keyof typeof usedTexts;

const planUse = (what: CappedResource) => ({
  lockPlan: one<[accountId: string], { plan: string; cap: number }>(
    `lock_plan_${what}`,
    `SELECT p.plan, p.max_${what} AS cap FROM accounts a JOIN plans p USING (plan) WHERE a.account_id = $1
      FOR NO KEY UPDATE OF a`,
  ),
  countUsed: count<[accountId: string]>(`count_plan_${what}`, usedTexts[what]),
});
const planUses = {
  user_shards: planUse('user_shards'),
  item_shards: planUse('item_shards'),
  event_shards: planUse('event_shards'),
  projects: planUse('projects'),
  algorithms: planUse('algorithms'),
  models: planUse('models'),
};

/** Locks the account's row until the transaction ends, so that two concurrent creates cannot both take the last one. */
export async function lockPlanUse(db: Queryable, accountId: string, what: CappedResource) {
  const { lockPlan, countUsed } = planUses[what];
  const { plan, cap } = (await lockPlan(db, accountId)) ?? { plan: '', cap: 0 };
  return { plan, cap, used: await countUsed(db, accountId) };
}

/** What the account uses of each cap of its plan. */
export const listPlanUse = many<[accountId: string], { quota: string; used: number; cap: number }>(
  'list_plan_use',
  `${Object.entries(usedTexts)
    .map(
      ([what, used]) =>
        `SELECT '${what}' AS quota, (${used})::float8 AS used, p.max_${what}::float8 AS cap FROM accounts a JOIN plans p USING (plan)
          WHERE a.account_id = $1`,
    )
    .join(' UNION ALL ')}
    UNION ALL SELECT 'training_hours', a.training_seconds / 3600, p.max_training_hours::float8
      FROM accounts a JOIN plans p USING (plan) WHERE a.account_id = $1 AND p.max_training_hours IS NOT NULL`,
);

interface PlanUsage {
  readonly plan: string;
  readonly caps: PlanRow;
  readonly used: Readonly<
    Record<CappedResource | 'training_hours' | 'qps' | 'records' | 'model_bytes', number>
  >;
}

const usageColumns = Object.entries(usedTexts).map(([name, text]) => `(${text}) AS ${name}`);

/** What the account uses of its plan, without locks: for callers that only read. */
export const findPlanUsage = only<[accountId: string], PlanUsage>(
  'find_plan_usage',
  `SELECT a.plan, (SELECT to_jsonb(p) FROM plans p WHERE p.plan = a.plan) AS caps,
      to_jsonb((SELECT u FROM (SELECT ${usageColumns.join(', ')}, a.training_seconds / 3600 AS training_hours,
        (SELECT coalesce(max(d.qps), 0) FROM projects p JOIN deployments d USING (project_key)
          WHERE p.account_id = $1) AS qps,
        (SELECT coalesce(sum(c.record_count), 0) FROM datasets d JOIN dataset_counts c USING (dataset_key)
          WHERE d.account_id = $1 AND d.deleted_at IS NULL) AS records,
        (SELECT coalesce(sum(m.object_size + coalesce(m.snapshot_size, 0)), 0)
          FROM projects p JOIN models m USING (project_key) WHERE p.account_id = $1) AS model_bytes) u)) AS used
    FROM accounts a WHERE a.account_id = $1`,
);

/** Training hours: the plan's cap (null: unlimited) and the current use. */
interface TrainingHours {
  readonly cap: number | null;
  readonly used: number;
}

const trainingHours = `SELECT p.max_training_hours AS cap, a.training_seconds / 3600 AS used
    FROM accounts a JOIN plans p USING (plan) WHERE a.account_id = $1`;

const lockHours = one<[accountId: string], TrainingHours>(
  'lock_training_hours',
  `${trainingHours} FOR NO KEY UPDATE OF a`,
);

/** Locks the account's row until the transaction ends. An account that was deleted meanwhile has no hours left. */
export async function lockTrainingHours(db: Queryable, accountId: string): Promise<TrainingHours> {
  return (await lockHours(db, accountId)) ?? { cap: 0, used: 0 };
}

const findHours = one<[accountId: string], TrainingHours>('find_training_hours', trainingHours);

/** Like lockTrainingHours, without the lock: for checks that only read. */
export async function findTrainingHours(db: Queryable, accountId: string): Promise<TrainingHours> {
  return (await findHours(db, accountId)) ?? { cap: 0, used: 0 };
}

const lockQpsCap = one<[accountId: string], { cap: number | null }>(
  'lock_qps',
  `SELECT p.max_qps AS cap FROM accounts a JOIN plans p USING (plan) WHERE a.account_id = $1
    FOR NO KEY UPDATE OF a`,
);

/** The cap on queries per second per deployment (null: unlimited). Locks the account's row until the transaction ends. */
export async function lockQps(db: Queryable, accountId: string): Promise<{ cap: number | null }> {
  return (await lockQpsCap(db, accountId)) ?? { cap: 0 };
}

export const accountExists = some<[accountId: string]>(
  'account_exists',
  'SELECT FROM accounts WHERE account_id = $1',
);

/** Locks until the transaction ends, so that two submissions of one account do not get the same fair rank. */
export const lockAccount = none<[accountId: string]>(
  'lock_account',
  'SELECT FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE',
);

export const addTrainingSeconds = none<[accountId: string, seconds: number]>(
  'add_training_seconds',
  'UPDATE accounts SET training_seconds = training_seconds + $2 WHERE account_id = $1',
);
