import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { latestTs } from '../../datasets/event-times.ts';
import { type Dataset, partitionTable } from '../../datasets/rows/datasets.ts';
import { timeOfId } from '../../http/ids.ts';
import type { Duck } from '../../kernel/files/duckdb.ts';
import type { DecisionFile } from '../rows/decision-files.ts';
import type { OutcomeState } from '../rows/outcome-states.ts';

/** A day of a busy shop has millions of events; a read that takes longer than this is stuck. */
const maxSeconds = 1800;

/**
 * Writes events with `fromTs <= ts < beforeTs` to a CSV file: user, item, time, type, value, answer. Uses events_by_ts, its own
 * connection, and one socket chunk of memory. COPY takes no parameters: the statement has numbers only.
 */
export async function copyEventsBetween(
  databaseUrl: string,
  dataset: Dataset,
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
    const nowTs = Date.now();
    const select = `SELECT user_id, item_id, least(ts, ${nowTs}), event_type, event_value, recommendation_id FROM ${partitionTable(dataset)}
      WHERE dataset_key = ${dataset.dataset_key} AND ts >= ${fromTs} AND ts < ${beforeTs} AND ts <= ${latestTs(nowTs)}`;
    const stream = client.query(copyTo(`COPY (${select}) TO STDOUT (FORMAT csv, ENCODING 'UTF8')`));
    await pipeline(stream, createWriteStream(path), { signal });
  } finally {
    await client.end();
  }
}

/** The events of a day: when the first and the last happened, and how many there are. */
interface EventSpan {
  readonly firstTs: number;
  readonly lastTs: number;
  readonly events: number;
}

/** Loads a CSV file as `copyEventsBetween` writes it into the table `events`. Undefined if it is empty. */
export async function loadEvents(
  duck: Duck,
  path: string,
  { target_event_type: target, event_value_max }: Pick<OutcomeState, 'target_event_type' | 'event_value_max'>,
): Promise<EventSpan | undefined> {
  await duck.run(
    `CREATE OR REPLACE TABLE events AS SELECT row_number() OVER () AS n,
        * REPLACE (least(event_value, coalesce($max, event_value)) AS event_value), event_type = $target AS is_target
      FROM read_csv('${path}', header = false, auto_detect = false, delim = ',', quote = '"', escape = '"',
        nullstr = '', parallel = false, columns = {user_id: 'VARCHAR', item_id: 'VARCHAR', ts: 'BIGINT',
          event_type: 'VARCHAR', event_value: 'DOUBLE', recommendation_id: 'VARCHAR'})`,
    { target, max: event_value_max },
  );
  const [span] = await duck.rows<EventSpan>(
    'SELECT min(ts)::DOUBLE AS "firstTs", max(ts)::DOUBLE AS "lastTs", count(*)::DOUBLE AS events FROM events HAVING count(*) > 0',
  );
  return span;
}

/** Those with answers that an event of the span may follow, at most `hours` before it. */
export const filterAnswerFiles = <File extends Pick<DecisionFile, 'first_id' | 'last_id'>>(
  files: readonly File[],
  { firstTs, lastTs }: EventSpan,
  hours: number,
): File[] =>
  files.filter(
    ({ first_id, last_id }) =>
      timeOfId(last_id) >= firstTs - hours * 3600_000 && timeOfId(first_id) <= lastTs,
  );
