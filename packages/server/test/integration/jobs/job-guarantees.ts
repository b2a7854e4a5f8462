import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeSnapshot } from '@tastegraph/algorithms';
import { decodeModel } from '@tastegraph/algorithms/g1';
import type pg from 'pg';
import { expect } from 'vitest';
import { openObjectStore } from '../../../src/kernel/objects/open.ts';
import type { ObjectStore } from '../../../src/kernel/objects/store.ts';
import type { JobCell } from './job-cell.ts';

interface KeptObject {
  readonly object_key: string;
  readonly size: number;
  readonly sha256: string;
  readonly kind: 'model' | 'snapshot' | 'result';
}

/** Digests of each cell's files that were checked before. Objects never change; reading all of them after every test is slow. */
const wholeFiles = new WeakMap<pg.Pool, Set<string>>();

/**
 * The guarantees after every fault, once the jobs have ended. Each job has an outcome. A job that succeeded has one
 * model or one result with complete files; a job that did not has none. Only successful trainings count towards
 * training hours. Nothing else is left.
 */
export async function expectSound({ sql, objects }: JobCell): Promise<void> {
  await using store = await openObjectStore(objects);
  await expectEnded(sql);
  await expectPaid(sql);
  const { rows: files } = await sql.query<KeptObject>(
    `SELECT object_key, object_size::float8 AS size, object_sha256 AS sha256, 'model' AS kind FROM models
    UNION ALL SELECT snapshot_key, snapshot_size, snapshot_sha256, 'snapshot' FROM models
    UNION ALL SELECT file->>'object_key' COLLATE "C", (file->>'size')::float8, file->>'sha256', 'result'
      FROM jobs, jsonb_array_elements(job_result->'files') AS file
    ORDER BY object_key`,
  );
  const known = wholeFiles.get(sql) ?? new Set();
  wholeFiles.set(sql, known);
  for (const file of files) {
    if (known.has(file.sha256)) continue;
    await expectWhole(store, file);
    known.add(file.sha256);
  }
  // Workers clean up every two seconds.
  await expect
    .poll(
      async () => ({
        // Files to import belong to whoever put them there.
        objects: (await keysOf(store)).filter((key) => !key.startsWith('imports/')),
        orphaned: await column(sql, 'SELECT object_key FROM loose_objects'),
        parts: await column(sql, 'SELECT object_key FROM job_parts'),
        deliveries: await column(sql, 'SELECT data::text FROM pgboss.job'),
        drafts: objects.kind === 'folder' ? await readdir(join(objects.root, '.drafts')) : [],
      }),
      { timeout: 20_000, interval: 100 },
    )
    .toEqual({
      objects: files.map((file) => file.object_key),
      orphaned: [],
      parts: [],
      deliveries: [],
      drafts: [],
    });
}

async function expectEnded(sql: pg.Pool): Promise<void> {
  const { rows } = await sql.query<{ job_id: string; sound: boolean }>(
    `SELECT job_id, job_status, retry_count, error, job_result, models,
      finished_at IS NOT NULL AND retry_count <= 3 AND CASE job_status
        WHEN 'SUCCEED' THEN error IS NULL AND CASE WHEN job_type = 'TRAINING' THEN models = 1 AND job_result IS NOT NULL
          ELSE jsonb_array_length(job_result->'files') > 0 END
        WHEN 'FAILED' THEN models = 0 AND job_result IS NULL AND error->>'code' <> '' AND error->>'message' <> ''
        WHEN 'CANCELED' THEN models = 0 AND job_result IS NULL
        ELSE false END AS sound
    FROM jobs j, LATERAL (SELECT count(*)::int AS models FROM models m WHERE m.job_key = j.job_key) AS counted`,
  );
  expect(rows.filter((row) => !row.sound)).toEqual([]);
  expect(rows).not.toEqual([]);
}

/** The time of successful trainings, to the millisecond, and of no others. */
async function expectPaid(sql: pg.Pool): Promise<void> {
  const { rows } = await sql.query<{ account_id: string; off: number }>(
    `SELECT account_id, training_seconds, seconds FROM accounts a, LATERAL (
      SELECT coalesce(sum(extract(epoch FROM finished_at - started_at)), 0)::float8 AS seconds FROM jobs j
      WHERE j.account_id = a.account_id AND job_type = 'TRAINING' AND job_status = 'SUCCEED') AS spent
    WHERE abs(training_seconds - seconds) > 0.001`,
  );
  expect(rows).toEqual([]);
}

async function expectWhole(store: ObjectStore, object: KeptObject): Promise<void> {
  const { object_key, size, sha256, kind } = object;
  // Fails with `damaged` if size or digest differ.
  const { bytes } = await store.read(object_key, { expect: { size, sha256 } });
  const file = Buffer.concat((await bytes.toArray()) as Buffer[]);
  if (kind === 'snapshot') expect(decodeSnapshot(file).events.users).toBeGreaterThan(0);
  if (kind === 'model') expect(decodeModel(file).catalogue.targetEventType).toBe('buy');
}

async function keysOf(store: ObjectStore): Promise<string[]> {
  const { objects, next } = await store.list('');
  expect(next).toBeUndefined();
  return objects.map((object) => object.key);
}

async function column(sql: pg.Pool, text: string): Promise<unknown[]> {
  const { rows } = await sql.query<unknown[]>({ text, rowMode: 'array' });
  return rows.flat();
}
