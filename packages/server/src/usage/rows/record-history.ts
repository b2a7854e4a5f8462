import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { affected, many, none, only } from '../../kernel/postgres/statement.ts';

/** Events of one type that were written to a dataset. */
export interface EventCountRow {
  readonly dataset_key: number;
  /** The day of their ts: days since the Unix epoch. */
  readonly day: number;
  readonly event_type: string;
  readonly events: number;
}

/** Adds counts to their rows, which are locked in the order of the primary key. Counts of purged datasets are dropped. */
export const addEventCounts = none<[rows: readonly EventCountRow[]]>(
  'add_event_counts',
  `INSERT INTO event_counts AS c (dataset_key, day, event_type, events)
    SELECT d.dataset_key, date '1970-01-01' + r.day, r.event_type, r.events
    FROM jsonb_to_recordset($1::jsonb) AS r(dataset_key integer, day integer, event_type text, events bigint)
    JOIN datasets d USING (dataset_key)
    ORDER BY 1, 2, 3
    ON CONFLICT (dataset_key, day, event_type) DO UPDATE SET events = c.events + excluded.events`,
  (rows) => [JSON.stringify(rows)],
);

const startOf = (day: string) => epochMs(`${day}::timestamp AT TIME ZONE 'UTC'`);
const dayOf = (parameter: string) => `(to_timestamp(${parameter}::float8 / 1000) AT TIME ZONE 'UTC')::date`;
const isIn = (since: string, until: string) =>
  `day >= ${dayOf(since)} AND day < ((to_timestamp(${until}::float8 / 1000) AT TIME ZONE 'UTC') + interval '1 day')::date`;

export interface EventDayRow {
  readonly ts: number;
  /** Null for all types but the most frequent. */
  readonly event_type: string | null;
  readonly events: number;
}

/** The events written to a project's dataset per day and type, oldest first. By the primary key. */
export const listEventDays = many<
  [accountId: string, projectId: string, range: { since: number; until: number; types: number }],
  EventDayRow
>(
  'list_event_days',
  `WITH found AS (
      SELECT c.* FROM projects p JOIN event_counts c ON c.dataset_key = p.event_dataset_key
      WHERE p.account_id = $1 AND p.project_id = $2 AND ${isIn('$3', '$4')}
    ), frequent AS (
      SELECT event_type FROM found WHERE event_type <> '' GROUP BY event_type ORDER BY sum(events) DESC, event_type LIMIT $5
    )
    SELECT ${startOf('day')} AS ts, frequent.event_type, sum(events)::float8 AS events
    FROM found LEFT JOIN frequent USING (event_type)
    GROUP BY day, frequent.event_type ORDER BY day, events DESC`,
  (accountId, projectId, { since, until, types }) => [accountId, projectId, since, until, types],
);

/** Writes today's number of records of up to `limit` datasets after `afterKey`. Returns the last of them and how many. */
export const recordDatasetSizes = only<
  [afterKey: number, limit: number],
  { last: number | null; datasets: number }
>(
  'record_dataset_sizes',
  `WITH next AS (
      SELECT dataset_key FROM datasets WHERE dataset_key > $1 ORDER BY dataset_key LIMIT $2
    ), sizes AS (
      SELECT n.dataset_key, coalesce(sum(c.record_count), 0) AS records
      FROM next n LEFT JOIN dataset_counts c USING (dataset_key) GROUP BY n.dataset_key
    ), written AS (
      INSERT INTO dataset_sizes AS s (dataset_key, day, records)
      SELECT dataset_key, (now() AT TIME ZONE 'UTC')::date, records FROM sizes ORDER BY dataset_key
      ON CONFLICT (dataset_key, day) DO UPDATE SET records = excluded.records WHERE s.records <> excluded.records
    ) SELECT max(dataset_key) AS last, count(*)::int AS datasets FROM next`,
);

export interface RecordDayRow {
  readonly ts: number;
  readonly users: number | null;
  readonly items: number | null;
  readonly events: number | null;
}

const current = (kind: string) =>
  `(SELECT coalesce(sum(c.record_count), 0) FROM dataset_counts c WHERE c.dataset_key = p.${kind}_dataset_key)`;
const recorded = (kind: string) => `SELECT s.day, '${kind}' AS kind, s.records
  FROM project p JOIN dataset_sizes s ON s.dataset_key = p.${kind}_dataset_key
  WHERE ${isIn('$3', '$4')} AND s.day < (now() AT TIME ZONE 'UTC')::date`;

/** How many records a project's datasets had at the end of each day, oldest first, and have now. By primary keys. */
export const listRecordDays = many<
  [accountId: string, projectId: string, range: { since: number; until: number }],
  RecordDayRow
>(
  'list_record_days',
  `WITH project AS (
      SELECT user_dataset_key, item_dataset_key, event_dataset_key FROM projects WHERE account_id = $1 AND project_id = $2
    ), found AS (
      ${['user', 'item', 'event'].map(recorded).join(' UNION ALL ')}
    )
    SELECT ${startOf('day')} AS ts, max(records) FILTER (WHERE kind = 'user')::float8 AS users,
      max(records) FILTER (WHERE kind = 'item')::float8 AS items, max(records) FILTER (WHERE kind = 'event')::float8 AS events
    FROM found GROUP BY day
    UNION ALL
    SELECT ${startOf("(now() AT TIME ZONE 'UTC')::date")}, ${current('user')}::float8, ${current('item')}::float8,
      ${current('event')}::float8
    FROM project p WHERE now() < to_timestamp($4::float8 / 1000) + interval '1 day'
    ORDER BY ts`,
  (accountId, projectId, { since, until }) => [accountId, projectId, since, until],
);

/** Removes up to `limit` sizes that are older than `days` days. Uses dataset_sizes_by_day. */
export const purgeDatasetSizes = affected<[days: number, limit: number]>(
  'purge_dataset_sizes',
  `WITH old AS (
      SELECT ctid FROM dataset_sizes WHERE day < (now() - $1 * interval '1 day')::date ORDER BY day LIMIT $2
    ) DELETE FROM dataset_sizes WHERE ctid = ANY(ARRAY(SELECT ctid FROM old)) RETURNING 1`,
);
