import type pg from 'pg';

/** Bytes that an event takes, on average over all that were written: its row, its index entries, and the log of both. */
export async function bytesPerEvent(admin: pg.Client) {
  const text = `SELECT (sum(pg_table_size(t.oid)) / sum(n.rows))::float8 AS row,
      (sum(pg_indexes_size(t.oid)) / sum(n.rows))::float8 AS indexes,
      (pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') / sum(n.rows))::float8 AS log
    FROM pg_class t, LATERAL (SELECT t.reltuples::numeric AS rows) n
    WHERE t.relkind = 'r' AND t.relname ~ '^events_p[0-9]+$' AND t.reltuples > 0`;
  await admin.query('ANALYZE events');
  const { rows } = await admin.query<{ row: number; indexes: number; log: number }>(text);
  return rows[0] ?? { row: 0, indexes: 0, log: 0 };
}
