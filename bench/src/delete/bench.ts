import type pg from 'pg';
import { withEnvironment } from '../environment.ts';
import { countRows, findTable } from '../ingest/plain-upserts.ts';
import { probe } from '../load.ts';
import { percentile, type Report } from '../report.ts';
import type { Service } from '../service.ts';

/** How many old events to delete, and how many newer ones to keep. */
const full = { old: 10_000_000, kept: 1_000_000 };
const quick = { old: 300_000, kept: 30_000 };

/** A step deletes 5,000 rows. Neither a step, nor a call that waits for one or for the disk, may take longer. */
const longestTransactionMs = 1000;
const slowestCallMs = 1000;

/**
 * Deletes ten million events with one call of /delete-dataset-events-before-ts while other calls write single events to
 * the same dataset. Measures the latency of these calls and the longest transaction in PostgreSQL.
 */
export async function benchDelete(isQuick: boolean): Promise<Report> {
  return withEnvironment(({ service, admin }) => measure(isQuick ? quick : full, service, admin));
}

async function measure(
  sizes: { old: number; kept: number },
  service: Service,
  admin: pg.Client,
): Promise<Report> {
  const datasetId = await service.newEventDataset();
  process.stderr.write(`filling the table with ${(sizes.old + sizes.kept).toLocaleString('en')} events\n`);
  await fill(admin, datasetId, sizes.old + sizes.kept);

  const ends = new AbortController();
  let written = 0;
  const writing = probe(
    async () => {
      const event = {
        event_id: `new-${written++}`,
        user_id: 'u1',
        item_id: 'i1',
        ts: Date.now(),
        event_type: 'view',
      };
      await service.call(
        'POST',
        '/upsert-dataset-events',
        JSON.stringify({ event_dataset_id: datasetId, events: [event] }),
      );
    },
    10,
    ends.signal,
  );
  let longestMs = 0;
  const watching = probe(
    async () => {
      longestMs = Math.max(longestMs, await oldestTransactionMs(admin));
    },
    20,
    ends.signal,
  );

  const startedAt = performance.now();
  const request = JSON.stringify({ event_dataset_id: datasetId, ts: sizes.old });
  await service.call('DELETE', '/delete-dataset-events-before-ts', request);
  const seconds = (performance.now() - startedAt) / 1000;
  ends.abort();
  const latencies = await writing;
  await watching;
  const left = await countRows(admin, datasetId);
  const expected = sizes.kept + written;

  const row = {
    'events deleted': sizes.old,
    seconds,
    'deleted /s': Math.round(sizes.old / seconds),
    'longest transaction ms': Math.round(longestMs),
    'single-event calls': latencies.length,
    'p50 ms': percentile(latencies, 50),
    'p99 ms': percentile(latencies, 99),
    'max ms': Math.max(...latencies),
  };
  return {
    bench: 'delete',
    tables: [{ title: 'Deleting events before a time, during writes by other calls', rows: [row] }],
    goals: [
      {
        text: `no transaction over ${longestTransactionMs} ms: ${Math.round(longestMs)} ms`,
        reached: longestMs <= longestTransactionMs,
      },
      {
        text: `no call over ${slowestCallMs} ms: ${Math.round(row['max ms'])} ms`,
        reached: row['max ms'] <= slowestCallMs,
      },
      { text: `the expected number of events remains: ${left} of ${expected}`, reached: left === expected },
    ],
    figures: { ...row, left },
  };
}

/** Inserts events of 100,000 users with the times 1, 2, 3… ms by plain SQL, and updates the count like an upsert. */
async function fill(admin: pg.Client, datasetId: string, events: number): Promise<void> {
  const { key, table } = await findTable(admin, datasetId);
  const chunk = 500_000;
  for (let from = 0; from < events; from += chunk) {
    await admin.query(
      `INSERT INTO ${table} (dataset_key, event_id, user_id, item_id, ts, event_type, event_value)
       SELECT $1, 'e' || n, 'u' || n % 100000, 'i' || n % 50000, n, 'view', 1 FROM generate_series($2::bigint, $3::bigint) n`,
      [key, from, Math.min(from + chunk, events) - 1],
    );
  }
  await admin.query('UPDATE dataset_counts SET record_count = $2 WHERE dataset_key = $1 AND slot = 0', [
    key,
    events,
  ]);
  await admin.query(`VACUUM ANALYZE ${table}`);
}

async function oldestTransactionMs(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ ms: number }>(
    `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)) * 1000, 0)::float8 AS ms
     FROM pg_stat_activity WHERE application_name = 'tastegraph'`,
  );
  return rows[0]?.ms ?? 0;
}
