import { join } from 'node:path';
import { findMeasuredExperiment, type MeasuredExperiment } from '../experiments/rows/figures.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { AttemptContext, Work } from '../jobs/engine/run-jobs.ts';
import type { AttemptRow } from '../jobs/rows/attempts.ts';
import { type Duck, readFiles, withDuck } from '../kernel/files/duckdb.ts';
import { downloadObjects, uploadFile } from '../kernel/files/local-files.ts';
import { fileTypes } from '../kernel/files/table.ts';
import { type ObjectsSettings, openObjectStore } from '../kernel/objects/open.ts';
import { deleteOrphanedObjects, insertOrphanedObjects } from '../kernel/objects/orphaned-objects.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { dayOf, variantKey } from '../outcomes/log/keys.ts';
import { listProjectFiles } from '../outcomes/rows/outcomes.ts';
import type { ExportFormat } from './protocol.ts';

/** One row per user: the first answer. A million of them take about 100 MB. */
const duckOptions = { memoryMb: 512, threads: 1 };

const copyOptions: Readonly<Record<ExportFormat, string>> = {
  NDJSON: 'FORMAT json',
  CSV: 'FORMAT csv, HEADER true',
  PARQUET: 'FORMAT parquet, COMPRESSION zstd',
};

/** The work of an EXPORT job for an experiment: who was exposed to which variant, and when, in the columns that GrowthBook reads. */
export async function exportExposures(
  db: Database,
  objects: ObjectsSettings,
  attempt: AttemptRow<'EXPORT'>,
  context: AttemptContext,
): ReturnType<Work<'EXPORT'>> {
  const { job_id, job_key, project_key, account_id, job_data, attempt: number } = attempt;
  const experiment = await findMeasuredExperiment(db, account_id, job_data.experiment_id ?? '');
  if (!experiment) throw new JobError('DATASET_DELETED', 'The experiment was deleted.');
  const { extension, contentType } = fileTypes[job_data.format];
  const object_key = `results/${job_id}/${number}/part-00001.${extension}`;
  await using store = await openObjectStore(objects);
  const { rows, stored } = await withDuck(duckOptions, async (duck) => {
    const files = await listProjectFiles(db, project_key);
    const since = files.filter(({ day }) => day >= dayOf(experiment.created_ts));
    await collectExposures({ duck, store, context }, experiment, since);
    const path = join(duck.folder, `exposures.${extension}`);
    await duck.run(`COPY (${exposuresOf(experiment)}) TO '${path}' (${copyOptions[job_data.format]})`);
    const [count] = await duck.rows<{ rows: number }>('SELECT count(*)::INTEGER AS rows FROM exposures');
    await insertOrphanedObjects(db, [object_key], { job_key, attempt: number });
    return { rows: count?.rows ?? 0, stored: await uploadFile(store, object_key, path, context.signal) };
  });
  const file = {
    object_key,
    ...stored,
    file_name: `exposures-${job_id}.${extension}`,
    content_type: contentType,
  };
  return {
    result: { files: [file], message: null, record_count: rows },
    publish: (tx) => deleteOrphanedObjects(tx, [object_key]),
    discard: () => insertOrphanedObjects(db, [object_key], undefined),
  };
}

interface Collecting {
  readonly duck: Duck;
  readonly store: ObjectStore;
  readonly context: AttemptContext;
}

/** The first answer to each user, file by file: one copy on the disk at a time. */
async function collectExposures(
  { duck, store, context }: Collecting,
  { experiment_id }: MeasuredExperiment,
  files: Awaited<ReturnType<typeof listProjectFiles>>,
): Promise<void> {
  await duck.run('CREATE TABLE exposures (user_id VARCHAR PRIMARY KEY, variant VARCHAR, ts BIGINT)');
  // In the order of time, so that the first row of a user stays.
  for (const [index, { object_key, size, sha256 }] of files.entries()) {
    const objects = [{ object_key, expect: { size, sha256 } }];
    const { signal } = context;
    const [copy] = await downloadObjects(store, duck.folder, objects, { mustExist: true, signal });
    if (!copy) continue;
    await duck.run(
      `INSERT INTO exposures SELECT user_id, arg_min(variant, ts), min(ts) FROM ${readFiles([copy.path])}
        WHERE NOT is_trial AND user_id IS NOT NULL AND starts_with(variant, $prefix) GROUP BY user_id
        ON CONFLICT DO UPDATE SET variant = CASE WHEN excluded.ts < ts THEN excluded.variant ELSE variant END, ts = least(ts, excluded.ts)`,
      { prefix: variantKey(experiment_id, '') },
    );
    context.report('exporting', (index + 1) / files.length);
  }
}

/** SQL: the columns of GrowthBook's assignment queries. A variation is named by its number, as its SDKs do. */
function exposuresOf({ experiment_id, variants }: MeasuredExperiment): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const keys = variants.map((name) => quote(variantKey(experiment_id, name)));
  return `SELECT ${quote(experiment_id)} AS experiment_id, (list_position([${keys.join(', ')}], variant) - 1)::VARCHAR AS variation_id,
      substr(variant, ${experiment_id.length + 2}) AS variation_name, user_id,
      strftime(make_timestamp(ts * 1000), '%Y-%m-%dT%H:%M:%S.%gZ') AS timestamp
    FROM exposures ORDER BY ts, user_id`;
}
