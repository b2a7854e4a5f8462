import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { affected, many, none, values } from '../../kernel/postgres/statement.ts';

/** What is counted of calls. */
export const callSums = ['calls', 'client_errors', 'refused', 'server_errors', 'degraded'] as const;
export type CallSums = Record<(typeof callSums)[number], number>;

/** The calls of one hour, project and caller. */
export interface CallCountRow extends Readonly<CallSums> {
  readonly account_id: string;
  /** '' for calls that belong to no project. */
  readonly project_id: string;
  /** Hours since the Unix epoch. */
  readonly hour: number;
  readonly caller_id: string;
  readonly is_recommendation: boolean;
  readonly durations: readonly number[];
}

/** Rows are locked in the order of the primary key, so that processes do not deadlock. Counts of deleted accounts are dropped. */
export const addCallCounts = none<[rows: readonly CallCountRow[]]>(
  'add_call_counts',
  `INSERT INTO call_counts AS c (account_id, project_id, hour, caller_id, is_recommendation, calls, client_errors,
      refused, server_errors, degraded, durations)
    SELECT r.account_id, r.project_id, to_timestamp(r.hour * 3600), r.caller_id, r.is_recommendation, r.calls,
      r.client_errors, r.refused, r.server_errors, r.degraded, r.durations
    FROM jsonb_to_recordset($1::jsonb) AS r(account_id text, project_id text, hour bigint, caller_id text,
      is_recommendation boolean, calls bigint, client_errors bigint, refused bigint, server_errors bigint, degraded bigint,
      durations bigint[])
    JOIN accounts USING (account_id)
    ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account_id, project_id, hour, caller_id, is_recommendation) DO UPDATE SET
      calls = c.calls + excluded.calls,
      client_errors = c.client_errors + excluded.client_errors,
      refused = c.refused + excluded.refused,
      server_errors = c.server_errors + excluded.server_errors,
      degraded = c.degraded + excluded.degraded,
      durations = ARRAY(SELECT coalesce(u.old, 0) + coalesce(u.new, 0)
        FROM unnest(c.durations, excluded.durations) WITH ORDINALITY AS u(old, new, step) ORDER BY u.step)`,
  (rows) => [JSON.stringify(rows)],
);

/** Those of the projects that exist in their account. By the unique index of project_id. */
export const listKnownProjects = values<
  [projects: readonly Pick<CallCountRow, 'account_id' | 'project_id'>[]],
  string
>(
  'list_known_projects',
  `SELECT p.project_id FROM unnest($1::text[], $2::text[]) AS r(account_id, project_id)
    JOIN projects p ON p.project_id = r.project_id AND p.account_id = r.account_id`,
  (projects) => [projects.map(({ account_id }) => account_id), projects.map(({ project_id }) => project_id)],
);

export interface CallIntervalRow extends Readonly<CallSums> {
  readonly ts: number;
  readonly durations: readonly number[];
}

const sums = callSums.map((column) => `sum(${column})::float8 AS ${column}`).join(', ');

/** The recommendation calls of a project per hour or day, oldest first. By the primary key. */
export const listCallIntervals = many<
  [accountId: string, projectId: string, range: { since: number; until: number; unit: 'hour' | 'day' }],
  CallIntervalRow
>(
  'list_call_intervals',
  `WITH found AS (
      SELECT date_trunc($5, hour, 'UTC') AS start, c.* FROM call_counts c
      WHERE account_id = $1 AND project_id = $2 AND hour >= to_timestamp($3::float8 / 1000)
        AND hour < to_timestamp($4::float8 / 1000) AND is_recommendation
    ), steps AS (
      SELECT start, step, sum(count)::float8 AS count FROM found, unnest(durations) WITH ORDINALITY AS u(count, step)
      GROUP BY start, step
    ), spread AS (
      SELECT start, array_agg(count ORDER BY step) AS durations FROM steps GROUP BY start
    )
    SELECT ${epochMs('start')} AS ts, ${sums}, spread.durations FROM found JOIN spread USING (start)
    GROUP BY start, spread.durations ORDER BY start`,
  (accountId, projectId, { since, until, unit }) => [accountId, projectId, since, until, unit],
);

export interface CallerCallsRow {
  readonly project_id: string;
  readonly caller_id: string;
  readonly recommendations: number;
  readonly other_calls: number;
  readonly errors: number;
}

/** The calls of an account per project and caller, most first. Reads the account's rows by the primary key. */
export const listCallerCalls = many<
  [accountId: string, range: { since: number; until: number; limit: number }],
  CallerCallsRow
>(
  'list_caller_calls',
  `SELECT project_id, caller_id,
      coalesce(sum(calls) FILTER (WHERE is_recommendation), 0)::float8 AS recommendations,
      coalesce(sum(calls) FILTER (WHERE NOT is_recommendation), 0)::float8 AS other_calls,
      sum(client_errors + refused + server_errors)::float8 AS errors
    FROM call_counts
    WHERE account_id = $1 AND hour >= to_timestamp($2::float8 / 1000) AND hour < to_timestamp($3::float8 / 1000)
    GROUP BY project_id, caller_id ORDER BY sum(calls) DESC, project_id, caller_id LIMIT $4`,
  (accountId, { since, until, limit }) => [accountId, since, until, limit],
);

/** Removes up to `limit` rows older than `days` days. Uses call_counts_by_hour. */
export const purgeCallCounts = affected<[days: number, limit: number]>(
  'purge_call_counts',
  `WITH old AS (
      SELECT ctid FROM call_counts WHERE hour < now() - $1 * interval '1 day' ORDER BY hour LIMIT $2
    ) DELETE FROM call_counts WHERE ctid = ANY(ARRAY(SELECT ctid FROM old)) RETURNING 1`,
);
