import { count, only, values } from '../../kernel/postgres/statement.ts';
import { deletedModels } from './models.ts';

/** The next rows that are older than a policy allows. */
export interface OldRows {
  /** How many there are. Fewer than the limit at the end of a round. */
  readonly seen: number;
  /** The keys of those that nothing seems to use. */
  readonly unused: readonly number[];
  /** Where the next step continues. Null if there are none. */
  readonly position: string | null;
}

/** Before the first row of a round. */
const start = '-infinity|0';

/** SQL: one of these rows exists. Not EXISTS, for which the planner may read whole tables instead of one index entry per model or job. */
export const some = (rows: string) => `(SELECT true FROM ${rows} LIMIT 1) IS NOT NULL`;

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

/** SQL: reasons to keep model `m`, however old it is. Jobs that name it are looked at separately (`namedByJobs`). */
const modelUses = [
  // The newest one of its project can be deployed again without a training.
  `NOT ${some('models n WHERE n.project_key = m.project_key AND n.model_key > m.model_key')}`,
  ...modelColumns.map(([table, column]) => some(`${table} r WHERE r.${column} = m.model_key`)),
  some(
    `schedules s WHERE s.project_key = m.project_key AND (s.follow_job_key = m.job_key OR ${namesModel('s.what')})`,
  ),
];

/**
 * SQL: all strings in the data of jobs that have not ended, of the accounts of the models in $1. Read once per step, not per model: an account
 * may have 1,000 such jobs, with lists of 10,000 users, which name no model.
 */
const namedByJobs = `named AS MATERIALIZED (
      SELECT named #>> '{}' AS model_id
      FROM jobs j, jsonb_path_query(j.job_data - 'user_ids', '$.** ? (@.type() == "string")') AS named
      WHERE j.account_id = ANY (ARRAY(SELECT p.account_id FROM models m JOIN projects p USING (project_key) WHERE m.model_key = ANY ($1::int[])))
        AND j.job_status IN ('PENDING', 'RUNNING')
    )`;

/** Rows that expire, and the statements that find and delete them. */
export type Expiring = ReturnType<typeof expiring>;

interface ExpiringRows {
  /** What a further condition follows. */
  readonly rows: string;
  readonly key: 'model_key' | 'job_key';
  /** There is an index on it and the key. */
  readonly age: string;
  readonly uses: readonly string[];
  /** A statement that deletes those of the keys in $1 that are not in use, and returns how many. */
  readonly deletion: string;
}

export const expiring = (what: 'models' | 'jobs', { rows, key, age, uses, deletion }: ExpiringRows) => ({
  what,
  /** The next `limit` rows of any account after `position`, null for the first ones, that are older than `days` days. */
  list: only<[days: number, limit: number, position: string | null], OldRows>(
    `list_old_${what}`,
    `WITH oldest AS MATERIALIZED (
      SELECT ${key} AS key, ${age} AS age, ${uses.join(' OR ')} AS is_used FROM ${rows}
        ${age} < now() - $1 * interval '1 day'
        AND (${age}, ${key}) > (split_part($3, '|', 1)::timestamptz, split_part($3, '|', 2)::int)
      ORDER BY ${age}, ${key} LIMIT $2
    ) SELECT count(*)::int AS seen, coalesce(array_agg(key) FILTER (WHERE NOT is_used), '{}') AS unused,
      (SELECT concat_ws('|', age, key) FROM oldest ORDER BY age DESC, key DESC LIMIT 1) AS position FROM oldest`,
    (days, limit, position) => [days, limit, position ?? start],
  ),
  /** Locks the rows until the transaction ends, and returns the keys of those that nobody else has locked, for example to deploy a model. */
  lock: values<[keys: readonly number[]], number>(
    `lock_old_${what}`,
    `SELECT ${key} FROM ${what} WHERE ${key} = ANY ($1::int[]) ORDER BY ${key} FOR UPDATE SKIP LOCKED`,
  ),
  /** Of the locked rows. A statement after the lock, so that it sees what was written before it. */
  delete: count<[keys: readonly number[]]>(`delete_old_${what}`, deletion),
});

export const oldModels = expiring('models', {
  rows: 'models m WHERE',
  key: 'model_key',
  age: 'm.created_at',
  uses: modelUses,
  deletion: `WITH ${namedByJobs}, ${deletedModels(`WHERE m.model_key = ANY ($1::int[])
      AND NOT (${[...modelUses, 'm.model_id IN (SELECT model_id FROM named)'].join(' OR ')})`)}
      SELECT count(*)::int AS removed FROM m`,
});
