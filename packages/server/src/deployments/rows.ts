import { latestTs } from '../datasets/event-times.ts';
import type { Attempt } from '../jobs/rows/attempts.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { many, none, one, only } from '../kernel/postgres/statement.ts';
import { type DeployedModel, modelColumn } from '../projects/rows/deployments.ts';
import type { DeployedKeys } from '../projects/rows/past-deployments.ts';
import type { ServedProject } from '../serving/rows/serving-reads.ts';

/** SQL: the attempt of the job has not ended, or the trial of the rollback. */
const isRunning = `CASE WHEN t.ends_at IS NULL THEN EXISTS (SELECT FROM jobs j
    WHERE j.job_key = t.job_key AND j.attempt = t.attempt AND j.job_status = 'RUNNING')
  ELSE t.ends_at > clock_timestamp() END`;

/** Writes nothing if the attempt has lost its job. A deleted model is a foreign key violation. */
export const insertTrial = none<[attempt: Attempt, models: DeployedKeys]>(
  'insert_trial',
  `INSERT INTO deployment_trials (job_key, attempt, project_key, generator_model_key, ranker_model_key)
    SELECT job_key, attempt, project_key, $3::int, $4::int FROM jobs
    WHERE job_key = $1 AND attempt = $2 AND job_status = 'RUNNING'`,
  ({ job_key, attempt }, { generator_model_key, ranker_model_key }) => [
    job_key,
    attempt,
    generator_model_key,
    ranker_model_key,
  ],
);

/** A trial without a job. Returns its key, in which no job has the number 0. */
export const insertRollbackTrial = only<[projectKey: number, models: DeployedKeys, seconds: number], Attempt>(
  'insert_rollback_trial',
  `INSERT INTO deployment_trials (job_key, attempt, project_key, generator_model_key, ranker_model_key, ends_at)
    VALUES (0, nextval('rollback_trials'), $1, $2, $3, clock_timestamp() + $4::float8 * interval '1 second')
    RETURNING job_key, attempt`,
  (projectKey, { generator_model_key, ranker_model_key }, seconds) => [
    projectKey,
    generator_model_key,
    ranker_model_key,
    seconds,
  ],
);

interface TrialState {
  /** Live serving processes (seen recently) that have not reported. */
  readonly awaited: number;
  readonly reported: number;
  readonly problem: string | null;
}

/** By primary keys, and all of `servers`: one row per process. Undefined if the trial was deleted, with one of its models. */
export const findTrial = one<[attempt: Attempt, seenWithinSeconds: number], TrialState>(
  'find_trial',
  `SELECT
      (SELECT count(*)::int FROM servers s WHERE s.seen_at > clock_timestamp() - $3 * interval '1 second'
        AND NOT EXISTS (SELECT FROM trial_reports r
          WHERE r.job_key = $1 AND r.attempt = $2 AND r.server_id = s.server_id)) AS awaited,
      (SELECT count(*)::int FROM trial_reports r WHERE r.job_key = $1 AND r.attempt = $2) AS reported,
      (SELECT r.problem FROM trial_reports r WHERE r.job_key = $1 AND r.attempt = $2 AND r.problem IS NOT NULL
        ORDER BY r.server_id LIMIT 1) AS problem
    FROM deployment_trials t WHERE t.job_key = $1 AND t.attempt = $2`,
  ({ job_key, attempt }, seenWithinSeconds) => [job_key, attempt, seenWithinSeconds],
);

/** Also deletes its reports. */
export const deleteTrial = none<[attempt: Attempt]>(
  'delete_trial',
  'DELETE FROM deployment_trials WHERE job_key = $1 AND attempt = $2',
  ({ job_key, attempt }) => [job_key, attempt],
);

/** Deletes the trials of processes that died. Scans all trials: as many as deployments in progress. */
export const deleteEndedTrials = none<[]>(
  'delete_ended_trials',
  `DELETE FROM deployment_trials WHERE (job_key, attempt) IN (
    SELECT t.job_key, t.attempt FROM deployment_trials t WHERE NOT ${isRunning} FOR UPDATE SKIP LOCKED)`,
);

export interface TrialRow extends Attempt {
  readonly account_id: string;
  readonly project_id: string;
  readonly generator: DeployedModel;
  readonly ranker: DeployedModel | null;
}

/** Running trials that this process has not reported on, oldest first. Goes through all trials: as many as deployments and rollbacks in progress. */
export const listPendingTrials = many<[serverId: string], TrialRow>(
  'list_untried',
  `SELECT t.job_key, t.attempt, p.account_id, p.project_id, ${modelColumn('g')} AS generator,
      ${modelColumn('r')} AS ranker
    FROM deployment_trials t
      CROSS JOIN LATERAL (SELECT * FROM projects WHERE project_key = t.project_key LIMIT 1) p
      CROSS JOIN LATERAL (SELECT * FROM models WHERE model_key = t.generator_model_key LIMIT 1) g
      LEFT JOIN LATERAL (SELECT * FROM models WHERE model_key = t.ranker_model_key LIMIT 1) r ON true
    WHERE ${isRunning} AND NOT EXISTS (SELECT FROM trial_reports o
      WHERE o.job_key = t.job_key AND o.attempt = t.attempt AND o.server_id = $1)
    ORDER BY t.job_key`,
);

/** Writes nothing if the trial was deleted. */
export const insertTrialReport = none<[attempt: Attempt, serverId: string, problem: string | null]>(
  'insert_trial_report',
  `INSERT INTO trial_reports (job_key, attempt, server_id, problem)
    SELECT job_key, attempt, $3::text, $4::text FROM deployment_trials WHERE job_key = $1 AND attempt = $2 FOR KEY SHARE
    ON CONFLICT DO NOTHING`,
  ({ job_key, attempt }, serverId, problem) => [job_key, attempt, serverId, problem],
);

/** Heartbeat of a serving process. */
export const upsertServer = none<[serverId: string]>(
  'upsert_server',
  `INSERT INTO servers (server_id) VALUES ($1) ON CONFLICT (server_id) DO UPDATE SET seen_at = clock_timestamp()`,
);

/** Deletes the process that stops, and those not seen for a day. */
export const deleteServers = none<[serverId: string]>(
  'delete_servers',
  `DELETE FROM servers WHERE server_id = $1 OR seen_at < clock_timestamp() - interval '1 day'`,
);

interface NewEvent {
  readonly user_id: string;
  readonly item_id: string;
  readonly ts: number;
}

/** The newest target events after `sinceTs`, newest first. Scans events_by_ts from its end. */
export async function listNewTargetEvents(
  db: Queryable,
  { events, target_event_type }: ServedProject,
  sinceTs: number,
  limit: number,
): Promise<NewEvent[]> {
  return db.rows(
    {
      name: `list_new_target_events_${events.table}`,
      text: `SELECT user_id, item_id, ts::float8 AS ts FROM ${events.table}
        WHERE dataset_key = $1 AND ts > $2 AND ts <= $5 AND event_type = $3 ORDER BY ts DESC LIMIT $4`,
    },
    [events.key, sinceTs, target_event_type, limit, latestTs()],
  );
}

/** Which of the items have a record. By primary key. */
export async function findRecordedItems(
  db: Queryable,
  { items }: ServedProject,
  itemIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.rows<{ item_id: string }>(
    {
      name: `find_recorded_items_${items.table}`,
      text: `SELECT item_id FROM ${items.table} WHERE dataset_key = $1 AND item_id = ANY($2::text[])`,
    },
    [items.key, itemIds],
  );
  return new Set(rows.map(({ item_id }) => item_id));
}
