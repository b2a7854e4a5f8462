import { deletedJobs, hasEnded } from './jobs.ts';
import { deletedModels } from './models.ts';
import type { Queryable, Statement } from './pool.ts';

/** One step through the rows that are older than a policy allows. */
interface ExpiryStep {
  /** How many rows it has looked at. Fewer than its limit at the end of a round. */
  readonly seen: number;
  readonly removed: number;
  /** Where the next step continues. Null if it has seen no row. */
  readonly position: string | null;
}

/** Before the first row of a round. */
const start = '-infinity|0';

/** SQL: one of these rows exists. Not EXISTS, for which the planner may read whole tables instead of one index entry per model or job. */
const some = (rows: string) => `(SELECT true FROM ${rows} LIMIT 1) IS NOT NULL`;

/** SQL: the JSON contains the ID of model `m`, whichever field has it. */
const namesModel = (json: string) =>
  `jsonb_path_exists(${json}, '$.** ? (@ == $id)', jsonb_build_object('id', m.model_id))`;

/** Columns that refer to models which are deployed, kept for a rollback, or part of a running experiment. A test compares them with the schema. */
export const modelColumns = [
  ['deployments', 'generator_model_key'],
  ['deployments', 'ranker_model_key'],
  ['past_deployments', 'generator_model_key'],
  ['past_deployments', 'ranker_model_key'],
  ['experiment_variants', 'model_key'],
  ['experiment_variants', 'ranker_model_key'],
] as const;

/** SQL: why model `m` stays, however old it is. */
const modelUses = [
  // The newest one of its project can be deployed again without a training.
  `NOT ${some('models n WHERE n.project_key = m.project_key AND n.model_key > m.model_key')}`,
  ...modelColumns.map(([table, column]) => some(`${table} r WHERE r.${column} = m.model_key`)),
  some(
    `schedules s WHERE s.project_key = m.project_key AND (s.follow_job_key = m.job_key OR ${namesModel('s.what')})`,
  ),
  // By account, whose live jobs are few and have an index of their own.
  some(`jobs j WHERE j.account_id = (SELECT p.account_id FROM projects p WHERE p.project_key = m.project_key)
    AND j.job_status IN ('PENDING', 'RUNNING') AND ${namesModel('j.job_data')}`),
  some(`projects p JOIN accounts a USING (account_id)
    WHERE p.project_key = m.project_key AND a.moving_to IS NOT NULL`),
];

/** SQL: why job `j` stays. */
const jobUses = [
  some('models m WHERE m.job_key = j.job_key'),
  some('schedules s WHERE s.last_job_key = j.job_key'),
  some('schedules s WHERE s.follow_job_key = j.job_key'),
  some('accounts a WHERE a.account_id = j.account_id AND a.moving_to IS NOT NULL'),
];

/** SQL: the columns `key` and `age` of the next rows that are too old, by the index on both, and whether they stay. */
const oldest = (rows: string, key: string, age: string, uses: readonly string[]) => `oldest AS MATERIALIZED (
      SELECT ${key} AS key, ${age} AS age, ${uses.join(' OR ')} AS is_kept FROM ${rows}
        ${age} < now() - $1 * interval '1 day'
        AND (${age}, ${key}) > (split_part($3, '|', 1)::timestamptz, split_part($3, '|', 2)::int)
      ORDER BY ${age}, ${key} LIMIT $2
    )`;

const unused = 'ANY (ARRAY(SELECT key FROM oldest WHERE NOT is_kept))';

const stepOf = (removed: string) => `SELECT (SELECT count(*)::int FROM oldest) AS seen,
      (SELECT count(*)::int FROM ${removed}) AS removed,
      (SELECT concat_ws('|', age, key) FROM oldest ORDER BY age DESC, key DESC LIMIT 1) AS position`;

const modelsStatement: Statement = {
  name: 'delete_old_models',
  text: `WITH ${oldest('models m WHERE', 'm.model_key', 'm.created_at', modelUses)},
    ${deletedModels(`WHERE m.model_key = ${unused}`)} ${stepOf('m')}`,
};

const jobsStatement: Statement = {
  name: 'delete_old_jobs',
  text: `WITH ${oldest(`jobs j WHERE ${hasEnded('j')} AND`, 'j.job_key', 'j.finished_at', jobUses)},
    ${deletedJobs(`WHERE j.job_key = ${unused}`)} ${stepOf('j')}`,
};

/**
 * Deletes models that are older than `days` days and not in use, as `deleteModelRow` does. Looks at the next `limit` old models of any
 * account after `position`, by models_by_age. A model that is deployed meanwhile is a foreign key violation, and the step deletes nothing.
 */
export async function deleteOldModels(
  db: Queryable,
  days: number,
  limit: number,
  position: string | null,
): Promise<ExpiryStep> {
  return runStep(db, modelsStatement, [days, limit, position ?? start]);
}

/**
 * Deletes jobs that ended more than `days` days ago and that no model or schedule refers to, as `deleteJobRow` does. Looks at the next
 * `limit` such jobs of any account after `position`, by jobs_by_age.
 */
export async function deleteOldJobs(
  db: Queryable,
  days: number,
  limit: number,
  position: string | null,
): Promise<ExpiryStep> {
  return runStep(db, jobsStatement, [days, limit, position ?? start]);
}

async function runStep(db: Queryable, statement: Statement, values: readonly unknown[]): Promise<ExpiryStep> {
  const [step] = await db.rows<ExpiryStep>(statement, values);
  if (!step) throw new Error('no counts were returned');
  return step;
}
