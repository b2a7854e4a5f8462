import type pg from 'pg';

/** The state of a job at one moment. */
export interface Standing {
  readonly job_status: string;
  readonly attempt: number;
  readonly retry_count: number;
  readonly stage: string | null;
  readonly code: string | null;
  /** In seconds, by PostgreSQL's clock. */
  readonly at: number;
  /** How long until the next attempt may start. */
  readonly pause: number;
}

/** Makes PostgreSQL record every change of every job, so that no test depends on the moment it looks. */
export async function keepHistory(sql: pg.Pool): Promise<void> {
  await sql.query(`
    CREATE TABLE job_history (
      place bigint GENERATED ALWAYS AS IDENTITY, job_id text, job_status text, attempt int, retry_count int, stage text,
      code text, due_at timestamptz, at timestamptz DEFAULT clock_timestamp());
    CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO job_history (job_id, job_status, attempt, retry_count, stage, code, due_at) VALUES
        (NEW.job_id, NEW.job_status, NEW.attempt, NEW.retry_count, NEW.progress->>'stage', NEW.error->>'code', NEW.due_at);
      RETURN NULL;
    END $$;
    CREATE TRIGGER keep_history AFTER UPDATE ON jobs FOR EACH ROW
      WHEN ((OLD.job_status, OLD.attempt, OLD.progress->>'stage')
        IS DISTINCT FROM (NEW.job_status, NEW.attempt, NEW.progress->>'stage'))
      EXECUTE FUNCTION keep_history()`);
}

/** All states of the job, in order. */
export async function historyOf(sql: pg.Pool, jobId: string): Promise<Standing[]> {
  const { rows } = await sql.query<Standing>(
    `SELECT job_status, attempt, retry_count, stage, code, extract(epoch FROM at)::float8 AS at,
      extract(epoch FROM due_at - at)::float8 AS pause FROM job_history WHERE job_id = $1 ORDER BY place`,
    [jobId],
  );
  return rows;
}

/** All statuses of the job, in order. */
export async function statusesOf(sql: pg.Pool, jobId: string): Promise<string[]> {
  const statuses = (await historyOf(sql, jobId)).map((standing) => standing.job_status);
  return statuses.filter((status, place) => status !== statuses[place - 1]);
}
