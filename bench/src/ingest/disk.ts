import type pg from 'pg';

/** Bytes that an event takes, on average over all that were written: its row, its index entries, and the log of both. */
export async function bytesPerEvent(admin: pg.Client) {
  const text = `SELECT sum(pg_table_size(oid))::float8 / sum(reltuples) AS row,
      sum(pg_indexes_size(oid))::float8 / sum(reltuples) AS indexes,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 / sum(reltuples) AS log
    FROM pg_class WHERE relkind = 'r' AND relname ~ '^events_p[0-9]+$' AND reltuples > 0`;
  await admin.query('ANALYZE events');
  const { rows } = await admin.query<{ row: number; indexes: number; log: number }>(text);
  return rows[0] ?? { row: 0, indexes: 0, log: 0 };
}
