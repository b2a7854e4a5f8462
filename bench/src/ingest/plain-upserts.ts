import pg from 'pg';
import type { Event } from './events.ts';

/** A plain PostgreSQL statement that upserts a batch. Its parameters are prepared before the clock starts. */
export interface UpsertMethod {
  readonly name: string;
  prepare(batch: readonly Event[]): unknown[];
  statement(table: string): string;
}

const columns = 'dataset_key, event_id, user_id, item_id, ts, event_type, event_value';
const onConflict = `ON CONFLICT (dataset_key, event_id) DO UPDATE SET user_id = excluded.user_id,
  item_id = excluded.item_id, ts = excluded.ts, event_type = excluded.event_type, event_value = excluded.event_value`;

/** We also measured COPY into a temporary table followed by an INSERT: with 1,000 rows it was never the fastest. */
export const plainUpserts = [
  {
    name: 'json_to_recordset',
    prepare: (batch) => [
      JSON.stringify(
        batch.map((event) => ({
          e: event.event_id,
          u: event.user_id,
          i: event.item_id,
          t: event.ts,
          y: event.event_type,
        })),
      ),
    ],
    statement: (table) => `INSERT INTO ${table} (${columns})
      SELECT $1, r.e, r.u, r.i, r.t, r.y, 1 FROM json_to_recordset($2::json) AS r(e text, u text, i text, t bigint, y text)
      ${onConflict}`,
  },
  {
    name: 'unnest',
    prepare: (batch) => [
      batch.map((event) => event.event_id),
      batch.map((event) => event.user_id),
      batch.map((event) => event.item_id),
      batch.map((event) => event.ts),
      batch.map((event) => event.event_type),
    ],
    statement: (table) => `INSERT INTO ${table} (${columns})
      SELECT $1, r.e, r.u, r.i, r.t, r.y, 1
      FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[]) AS r(e, u, i, t, y)
      ${onConflict}`,
  },
] as const satisfies readonly UpsertMethod[];

/** Opens connections, before the clock starts. */
export async function openConnections(url: string, count: number): Promise<pg.Client[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
}

/** The key of a dataset and the table with its records. */
export async function findTable(
  client: pg.Client,
  datasetId: string,
): Promise<{ key: number; table: string }> {
  const { rows } = await client.query<{ dataset_key: number; partition: number }>(
    'SELECT dataset_key, partition FROM datasets WHERE dataset_id = $1',
    [datasetId],
  );
  const [row] = rows;
  if (!row) throw new Error('dataset not found');
  return { key: row.dataset_key, table: `events_p${String(row.partition).padStart(2, '0')}` };
}
