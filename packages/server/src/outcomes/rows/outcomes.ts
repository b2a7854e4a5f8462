import type { Queryable } from '../../kernel/postgres/pool.ts';
import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { count, many, none, one, statement } from '../../kernel/postgres/statement.ts';
import type { DecisionFile, StoredFile } from './decision-files.ts';

export const outcomeSums = ['answers', 'clicked', 'converted', 'target_events', 'value'] as const;
/** A visit is a user and an item, per day. */
export const visitSums = ['visits', 'converted', 'target_events', 'value'] as const;

/** One number per group of users. */
type Sums<Name extends string> = Readonly<Record<Name, readonly number[]>>;

export interface OutcomeRow extends Sums<(typeof outcomeSums)[number]> {
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly scenario: string;
  readonly model_id: string;
  /** Empty without an experiment. */
  readonly variant: string;
}

/** The visits of a day by events that were attributed to an answer, or that were not. */
export interface VisitRow extends Sums<(typeof visitSums)[number]> {
  readonly day: number;
  readonly is_recommended: boolean;
}

export interface AttributionFile extends StoredFile {
  readonly event_day: number;
  readonly answer_days: readonly number[];
}

export const listAttributionFiles = many<[projectKey: number], AttributionFile>(
  'list_attribution_files',
  `SELECT event_day, answer_days, object_key, size::float8 AS size, sha256 FROM attribution_files
    WHERE project_key = $1 ORDER BY event_day`,
);

/** A few dozen per day at most. */
export const listProjectFiles = many<[projectKey: number], DecisionFile>(
  'list_decision_files_of_project',
  `SELECT file_key::float8 AS file_key, project_key, day, first_id, last_id, answers, object_key, size::float8 AS size, sha256
    FROM decision_files WHERE project_key = $1 ORDER BY day, last_id`,
);

/** How many answers of each day the outcomes include. */
export const listCountedAnswers = many<[projectKey: number], { day: number; answers: number }>(
  'list_outcome_days',
  'SELECT day, answers FROM outcome_days WHERE project_key = $1',
);

const orphanFiles = none<[projectKey: number, eventDays: readonly number[]]>(
  'replace_attribution_files',
  `WITH old AS (
      DELETE FROM attribution_files WHERE project_key = $1 AND event_day = ANY($2::int[]) RETURNING object_key
    ), orphaned AS (INSERT INTO loose_objects (object_key) SELECT object_key FROM old ON CONFLICT DO NOTHING)
    SELECT object_key FROM old`,
);

const insertFiles = none<[projectKey: number, files: string]>(
  'insert_attribution_files',
  `INSERT INTO attribution_files (project_key, event_day, answer_days, object_key, size, sha256)
    SELECT $1, r.event_day, r.answer_days, r.object_key, r.size, r.sha256 FROM json_to_recordset($2::json)
      AS r(event_day int, answer_days int[], object_key text, size bigint, sha256 text)`,
);

/** Orphans the files of the event days, and inserts the new ones, which the caller has taken from the orphaned ones. */
export async function replaceAttributionFiles(
  tx: Queryable,
  projectKey: number,
  eventDays: readonly number[],
  files: readonly AttributionFile[],
): Promise<void> {
  await orphanFiles(tx, projectKey, eventDays);
  await insertFiles(tx, projectKey, JSON.stringify(files));
}

const deleteStatement = statement(
  'delete_outcomes_of_days',
  'DELETE FROM outcomes WHERE project_key = $1 AND day = ANY($2::int[])',
);

const insertStatement = statement(
  'insert_outcomes',
  `INSERT INTO outcomes (project_key, day, scenario, model_id, variant, answers, clicked, converted, target_events, value)
    SELECT $1, r.* FROM json_to_recordset($2::json) AS r(day int, scenario text, model_id text, variant text,
      answers float8[], clicked float8[], converted float8[], target_events float8[], value float8[])`,
);

const countStatement = statement(
  'upsert_counted_answers',
  `INSERT INTO outcome_days (project_key, day, answers)
    SELECT $1, day, answers FROM unnest($2::int[], $3::int[]) AS r(day, answers)
    ON CONFLICT (project_key, day) DO UPDATE SET answers = excluded.answers`,
);

/** Replaces the outcomes of days. */
export async function replaceOutcomes(
  tx: Queryable,
  projectKey: number,
  counted: ReadonlyMap<number, number>,
  rows: readonly OutcomeRow[],
): Promise<void> {
  const days = [...counted.keys()];
  await tx.rows(deleteStatement, [projectKey, days]);
  await tx.rows(insertStatement, [projectKey, JSON.stringify(rows)]);
  await tx.rows(countStatement, [projectKey, days, [...counted.values()]]);
}

/** Each day has a row of either kind. */
export const replaceVisits = none<[projectKey: number, rows: readonly VisitRow[]]>(
  'upsert_visits',
  `WITH r AS (SELECT * FROM json_to_recordset($2::json) AS r(day int, is_recommended boolean, visits float8[],
      converted float8[], target_events float8[], value float8[]))
    INSERT INTO outcome_days (project_key, day, visits, converted, target_events, value,
      recommended_visits, recommended_converted, recommended_target_events, recommended_value)
    SELECT $1, o.day, o.visits, o.converted, o.target_events, o.value, r.visits, r.converted, r.target_events, r.value
    FROM r AS o JOIN r ON r.day = o.day AND r.is_recommended WHERE NOT o.is_recommended
    ON CONFLICT (project_key, day) DO UPDATE SET visits = excluded.visits, converted = excluded.converted,
      target_events = excluded.target_events, value = excluded.value,
      recommended_visits = excluded.recommended_visits, recommended_converted = excluded.recommended_converted,
      recommended_target_events = excluded.recommended_target_events, recommended_value = excluded.recommended_value`,
  (projectKey, rows) => [projectKey, JSON.stringify(rows)],
);

/** Removes up to `limit` outcomes, and as many days, of days before `beforeDay`. By outcomes_by_age and outcome_days_by_age. */
export const purgeOutcomes = count<[beforeDay: number, limit: number]>(
  'purge_outcomes',
  `WITH old AS (
      SELECT ctid FROM outcomes WHERE day < $1 ORDER BY day LIMIT $2
    ), old_days AS (
      SELECT ctid FROM outcome_days WHERE day < $1 ORDER BY day LIMIT $2
    ), deleted AS (
      DELETE FROM outcomes WHERE ctid = ANY(ARRAY(SELECT ctid FROM old)) RETURNING 1
    ), deleted_days AS (
      DELETE FROM outcome_days WHERE ctid = ANY(ARRAY(SELECT ctid FROM old_days)) RETURNING 1
    ) SELECT greatest((SELECT count(*) FROM deleted), (SELECT count(*) FROM deleted_days))::int AS rows`,
);

export interface OutcomeQuery {
  readonly accountId: string;
  readonly projectId: string;
  readonly fromDay: number;
  readonly toDay: number;
}

const daysOf = (query: OutcomeQuery) => [query.accountId, query.projectId, query.fromDay, query.toDay];

/** Newest day first. By primary key. */
export const listOutcomes = many<
  [query: OutcomeQuery, scenario: string | undefined, limit: number],
  OutcomeRow
>(
  'list_outcomes',
  `SELECT o.day, o.scenario, o.model_id, o.variant, o.answers, o.clicked, o.converted, o.target_events, o.value
    FROM outcomes o JOIN projects p USING (project_key)
    WHERE p.account_id = $1 AND p.project_id = $2 AND o.day BETWEEN $3 AND $4 AND ($5::text IS NULL OR o.scenario = $5)
    ORDER BY o.day DESC, o.scenario, o.model_id, o.variant LIMIT $6`,
  (query, scenario, limit) => [...daysOf(query), scenario ?? null, limit],
);

export const listVisits = many<[query: OutcomeQuery], VisitRow>(
  'list_visits',
  `SELECT d.day, v.* FROM outcome_days d JOIN projects p USING (project_key), LATERAL (VALUES
      (false, d.visits, d.converted, d.target_events, d.value),
      (true, d.recommended_visits, d.recommended_converted, d.recommended_target_events, d.recommended_value)
    ) AS v(is_recommended, visits, converted, target_events, value)
    WHERE p.account_id = $1 AND p.project_id = $2 AND d.day BETWEEN $3 AND $4 AND cardinality(v.visits) > 0
    ORDER BY d.day DESC`,
  daysOf,
);

/** When the project's events were last attributed. */
export const findAttributed = one<
  [accountId: string, projectId: string],
  { attribution_hours: number; attributed_ts: number | null }
>(
  'find_attributed_at',
  `SELECT p.attribution_hours, ${epochMs('s.attributed_at')} AS attributed_ts
    FROM projects p LEFT JOIN outcome_states s USING (project_key) WHERE p.account_id = $1 AND p.project_id = $2`,
);
