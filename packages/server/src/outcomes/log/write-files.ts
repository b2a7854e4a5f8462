import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duck } from '../../kernel/files/duckdb.ts';
import { uploadFile } from '../../kernel/files/local-files.ts';
import { inOrder } from '../../kernel/lib/in-order.ts';
import type { ObjectStore } from '../../kernel/objects/store.ts';
import type { Database, Transaction } from '../../kernel/postgres/pool.ts';
import {
  abandonDecisionFiles,
  announceDecisionFiles,
  insertDecisionFiles,
  type NewDecisionFile,
} from '../rows/decision-files.ts';
import { newFileKey } from './keys.ts';

/** So that reading one answer takes one file of a few megabytes. */
const maxAnswersPerFile = 50_000;
const groupRows = 10_000;
/** Files that are written at the same time: much of it is waiting for the object store. */
const concurrency = 8;
const filesPerAnnouncement = 500;
/** Longer than a step takes, even with 100,000 projects. Files without rows are removed after that. */
export const announceSeconds = 7200;
/** Rows of one statement. A statement with all of them would take too long to write. */
const rowsPerInsert = 2000;

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

/** The answers of a project and day: consecutive rows of a table that is sorted by ID. */
export interface SortedDay extends ProjectDay {
  readonly first: number;
  readonly answers: number;
}

/** Where the answers are, and how they become the columns of a file. */
interface SortedRows {
  readonly table: string;
  readonly columns: string;
  readonly days: readonly SortedDay[];
}

interface PlannedFile extends Pick<NewDecisionFile, 'project_key' | 'day' | 'object_key'> {
  readonly from: number;
  readonly to: number;
}

/** Writes answers in order. Files without rows after two hours are removed; if one cannot be written, all are removed at once. */
export async function writeDecisionFiles(
  { db, store, stopping }: DecisionsContext,
  duck: Duck,
  { table, columns, days }: SortedRows,
): Promise<NewDecisionFile[]> {
  const write = async ({ from, to, ...file }: PlannedFile): Promise<NewDecisionFile> => {
    const path = join(duck.folder, file.object_key.replaceAll('/', '-'));
    const rows = `FROM ${table} WHERE rowid >= ${from} AND rowid < ${to}`;
    await duck.run(
      `COPY (SELECT ${columns} ${rows}) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows})`,
    );
    const [range] = await duck.rows<Pick<NewDecisionFile, 'first_id' | 'last_id' | 'answers'>>(
      `SELECT min(recommendation_id) AS first_id, max(recommendation_id) AS last_id, count(*)::DOUBLE AS answers ${rows}`,
    );
    if (range?.answers !== to - from) throw new Error('the table has other answers than were planned');
    const stored = await uploadFile(store, file.object_key, path, stopping);
    await unlink(path);
    return { ...file, ...range, ...stored };
  };
  const planned = days.flatMap(planFiles);
  const files: NewDecisionFile[] = [];
  for (let from = 0; from < planned.length; from += filesPerAnnouncement) {
    const some = planned.slice(from, from + filesPerAnnouncement);
    try {
      await announceDecisionFiles(db, keysOf(some), announceSeconds);
      for await (const file of inOrder(some, concurrency, write)) files.push(file);
    } catch (error) {
      await abandonDecisionFiles(db, keysOf([...files, ...some])).catch(() => undefined);
      throw error;
    }
  }
  return files;
}

const keysOf = (files: readonly Pick<NewDecisionFile, 'object_key'>[]) =>
  files.map(({ object_key }) => object_key);

function planFiles({ account_id, project_id, project_key, day, first, answers }: SortedDay): PlannedFile[] {
  return Array.from({ length: Math.ceil(answers / maxAnswersPerFile) }, (_, n) => ({
    project_key,
    day,
    object_key: newFileKey(account_id, project_id, day),
    from: first + n * maxAnswersPerFile,
    to: Math.min(first + (n + 1) * maxAnswersPerFile, first + answers),
  }));
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
      for (let from = 0; from < files.length; from += rowsPerInsert)
        await insertDecisionFiles(tx, files.slice(from, from + rowsPerInsert));
    });
  } catch (error) {
    await abandonDecisionFiles(db, keysOf(files)).catch(() => undefined);
    throw error;
  }
}
