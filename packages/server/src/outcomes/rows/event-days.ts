import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type DatasetRow, partitionTable } from '../../datasets/rows/datasets.ts';

/** A day of a busy shop has millions of events; a read that takes longer than this is stuck. */
const maxSeconds = 1800;

/**
 * Writes the events of a dataset with `fromTs <= ts < beforeTs` to a file of CSV: user, item, time, type, value, answer. Uses
 * events_by_ts, on its own connection, with one socket chunk of memory. COPY takes no parameters: the statement has numbers
 * only.
 */
export async function copyEventsBetween(
  databaseUrl: string,
  dataset: Pick<DatasetRow, 'dataset_key' | 'kind' | 'partition'>,
  { fromTs, beforeTs }: { readonly fromTs: number; readonly beforeTs: number },
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: `-c statement_timeout=${maxSeconds * 1000} -c enable_seqscan=off -c jit=off -c default_transaction_read_only=on`,
  });
  // The COPY below reports the same error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const select = `SELECT user_id, item_id, ts, event_type, event_value, recommendation_id FROM ${partitionTable(dataset)}
      WHERE dataset_key = ${dataset.dataset_key} AND ts >= ${fromTs} AND ts < ${beforeTs}`;
    const stream = client.query(copyTo(`COPY (${select}) TO STDOUT (FORMAT csv, ENCODING 'UTF8')`));
    await pipeline(stream, createWriteStream(path), { signal });
  } finally {
    await client.end();
  }
}
