import { pino } from 'pino';
import { newId } from '../../../src/http/ids.ts';
import { oldJobs } from '../../../src/jobs/rows/retention.ts';
import type { Database } from '../../../src/kernel/postgres/pool.ts';
import { expireStep } from '../../../src/projects/expire-by-age.ts';
import { oldModels } from '../../../src/projects/rows/retention.ts';
import { select } from './kinds.ts';

export interface AgedProject {
  readonly db: Database;
  readonly account_id: string;
  readonly project_id: string;
}

/** A project without data, for rows of any age. */
export async function insertProject(db: Database, accountId: string): Promise<AgedProject> {
  const project_id = newId('project');
  await select(
    db,
    `WITH d AS (
        INSERT INTO datasets (dataset_id, account_id, kind, name, num_shards, partition)
          VALUES ('eds_' || $2::text, $1, 'event', 'e', 1, 0) RETURNING dataset_key
      ) INSERT INTO projects (project_id, account_id, name, project_type, target_event_type, serving_uri, user_dataset_key,
          item_dataset_key, event_dataset_key)
        SELECT $2, $1, 'p', 'RECOMMEND_ITEMS_TO_USER', 'view', '', dataset_key, dataset_key, dataset_key FROM d`,
    [accountId, project_id],
  );
  return { db, account_id: accountId, project_id };
}

/** The keys of a model's files. */
export const filesOf = (modelId: string) => [`models/${modelId}/1.tgm`, `models/${modelId}/1.tgs`];

/** A model that was trained `days` days ago, with its job if `jobId` is given. */
export async function insertModel(
  { db, project_id }: AgedProject,
  days: number,
  jobId: string | null = null,
): Promise<string> {
  const model_id = newId('model');
  await select(
    db,
    `INSERT INTO models (model_id, project_key, job_key, name, algorithm_type, algorithm_parameters, training, object_key,
        object_size, object_sha256, snapshot_key, snapshot_size, snapshot_sha256, attributes, created_at)
      SELECT $2, project_key, (SELECT job_key FROM jobs WHERE job_id = $4), 'm', 'G1', '{}', '{}', $5, 1, '', $6, 1, '', '[]',
        now() - $3 * interval '1 day' FROM projects WHERE project_id = $1`,
    [project_id, model_id, days, jobId, ...filesOf(model_id)],
  );
  return model_id;
}

export interface AgedJob {
  readonly status?: string;
  readonly data?: object;
  readonly result?: object;
}

/** A job that ended `days` days ago, unless its status says otherwise. */
export async function insertJob(
  { db, project_id }: AgedProject,
  days: number,
  { status = 'SUCCEED', data = {}, result = {} }: AgedJob = {},
): Promise<string> {
  const job_id = newId('job');
  await select(
    db,
    `INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, turn, job_status, job_result, created_at, finished_at)
      SELECT $2, account_id, project_key, 'TRAINING', 'j', $5, 1, $4, $6, now() - $3 * interval '1 day',
        CASE WHEN $4 NOT IN ('PENDING', 'RUNNING') THEN now() - $3 * interval '1 day' END FROM projects WHERE project_id = $1`,
    [project_id, job_id, days, status, data, result],
  );
  return job_id;
}

/** A schedule that does `what`. */
export async function insertSchedule({ db, project_id }: AgedProject, what: object): Promise<string> {
  const schedule_id = newId('schedule');
  await select(
    db,
    `INSERT INTO schedules (schedule_id, project_key, name, cron, time_zone, what, when_running, paused, next_at)
      SELECT $2, project_key, 's', '0 3 * * *', 'UTC', $3, 'SKIP', true, now() FROM projects WHERE project_id = $1`,
    [project_id, schedule_id, what],
  );
  return schedule_id;
}

/** The IDs of the project's models or jobs, oldest first. */
export async function listIds(what: 'models' | 'jobs', { db, project_id }: AgedProject): Promise<string[]> {
  const [id, key] = what === 'models' ? ['model_id', 'model_key'] : ['job_id', 'job_key'];
  const text = `SELECT ${id} AS id FROM ${what} JOIN projects USING (project_key) WHERE project_id = $1 ORDER BY ${key}`;
  return (await select<{ id: string }>(db, text, [project_id])).map((row) => row.id);
}

interface LogLine {
  readonly msg: string;
  readonly models?: number;
  readonly jobs?: number;
}

/** A log whose lines a test can read. */
export function openTestLog() {
  const lines: LogLine[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) });
  return { lines, log };
}

export const makeDue = (db: Database) =>
  select(db, 'UPDATE periodic_tasks SET due_at = clock_timestamp(), position = NULL');

/** All steps of a round, at 365 days. Returns what it logs. */
export async function expireAll(
  what: 'models' | 'jobs',
  db: Database,
  limit?: number,
): Promise<readonly LogLine[]> {
  const { lines, log } = openTestLog();
  await makeDue(db);
  const expiring = what === 'models' ? oldModels : oldJobs;
  while (await expireStep(expiring, db, 365, log, limit));
  return lines;
}
