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

/** Consecutive rows of a table that is sorted by ID, and how they become the columns of a file. */
interface SortedRows {
  readonly table: string;
  readonly columns: string;
  readonly first: number;
  readonly answers: number;
}

/**
 * Writes answers to files, in their order. Rows of the database must refer to the files within half an hour, or they are
 * removed.
 */
export async function writeDecisionFiles(
  { db, store, stopping }: DecisionsContext,
  duck: Duck,
  { account_id, project_id, project_key, day }: ProjectDay,
  { table, columns, first, answers }: SortedRows,
): Promise<NewDecisionFile[]> {
  const files: NewDecisionFile[] = [];
  const end = first + answers;
  for (let from = first; from < end; from += maxAnswersPerFile) {
    const object_key = newFileKey(account_id, project_id, day);
    const path = join(duck.folder, object_key.replaceAll('/', '-'));
    const to = Math.min(from + maxAnswersPerFile, end);
    await duck.run(`COPY (SELECT ${columns} FROM ${table} WHERE rowid >= ${from} AND rowid < ${to})
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
