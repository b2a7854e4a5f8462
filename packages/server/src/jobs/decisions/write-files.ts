import { join } from 'node:path';
import { newFileKey } from '../../storage/decisions/keys.ts';
import { uploadFile } from '../../storage/decisions/local-files.ts';
import type { Duck } from '../../storage/duckdb/duckdb.ts';
import { readFiles } from '../../storage/duckdb/duckdb.ts';
import type { ObjectStore } from '../../storage/objects/store.ts';
import {
  abandonDecisionFiles,
  announceDecisionFiles,
  insertDecisionFiles,
  type NewDecisionFile,
} from '../../storage/postgres/decision-files.ts';
import type { Database, Transaction } from '../../storage/postgres/pool.ts';

/** So that reading one answer takes one file of a few megabytes. */
const maxAnswersPerFile = 50_000;
const groupRows = 10_000;
/** Longer than writing takes. Files without rows are removed after that. */
const announceSeconds = 1800;

export interface DecisionsContext {
  readonly db: Database;
  readonly store: Pick<ObjectStore, 'list' | 'read' | 'put'>;
  readonly stopping: AbortSignal;
}

/** A project and a day, in days since 1970. */
export interface ProjectDay {
  readonly account_id: string;
  readonly project_id: string;
  readonly project_key: number;
  readonly day: number;
}

/**
 * Writes the answers that `select` returns to files, sorted by ID. Rows must refer to the files within half an hour, or
 * they are removed.
 */
export async function writeDecisionFiles(
  { db, store, stopping }: DecisionsContext,
  duck: Duck,
  { account_id, project_id, project_key, day }: ProjectDay,
  select: string,
): Promise<NewDecisionFile[]> {
  const [total] = await duck.rows<{ answers: number }>(`SELECT count(*)::DOUBLE AS answers FROM (${select})`);
  const files: NewDecisionFile[] = [];
  for (let from = 0; from < (total?.answers ?? 0); from += maxAnswersPerFile) {
    const object_key = newFileKey(account_id, project_id, day);
    const path = join(duck.folder, object_key.replaceAll('/', '-'));
    await duck.run(`COPY (SELECT * FROM (${select}) ORDER BY recommendation_id LIMIT ${maxAnswersPerFile} OFFSET ${from})
      TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows})`);
    const [range] = await duck.rows<Pick<NewDecisionFile, 'first_id' | 'last_id' | 'answers'>>(
      `SELECT min(recommendation_id) AS first_id, max(recommendation_id) AS last_id, count(*)::DOUBLE AS answers
        FROM ${readFiles([path])}`,
    );
    if (!range) throw new Error('the file has no answers');
    await announceDecisionFiles(db, [object_key], announceSeconds);
    files.push({
      project_key,
      day,
      ...range,
      object_key,
      ...(await uploadFile(store, object_key, path, stopping)),
    });
  }
  return files;
}

/** Inserts the rows of written files in the transaction of `publish`. If it fails, the files are removed at once. */
export async function publishDecisionFiles(
  { db }: DecisionsContext,
  files: readonly NewDecisionFile[],
  publish: (tx: Transaction) => Promise<void>,
): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await publish(tx);
      await insertDecisionFiles(tx, files);
    });
  } catch (error) {
    const keys = files.map(({ object_key }) => object_key);
    await abandonDecisionFiles(db, keys).catch(() => undefined);
    throw error;
  }
}
