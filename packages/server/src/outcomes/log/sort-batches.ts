import { type Duck, readFiles, withDuck } from '../../kernel/files/duckdb.ts';
import { downloadObjects } from '../../kernel/files/local-files.ts';
import type { Log } from '../../kernel/observability/log.ts';
import { insertSortedBatches, listProjectKeys, listSortedBatches } from '../rows/decision-files.ts';
import { insertOutcomeStates } from '../rows/outcome-states.ts';
import { fileColumns } from './columns.ts';
import { batchPrefix, batchTimes, dayMs } from './keys.ts';
import {
  type DecisionsContext,
  type ProjectDay,
  publishDecisionFiles,
  type SortedDay,
  writeDecisionFiles,
} from './write-files.ts';

/** Per step. Decompressed and parsed, it is a few times as much. */
const maxBytes = 64 * 2 ** 20;
/** A worker has several jobs: this one takes a bounded part of the machine. */
export const duckOptions = { memoryMb: 512, threads: 2 };

interface Sorted {
  /** Whether batches are left. */
  readonly hasMore: boolean;
  /** The projects and days that have new answers. */
  readonly days: readonly ProjectDay[];
}

/**
 * Sorts the oldest batches into files by project and day. Each batch is sorted exactly once, whatever fails: its files
 * and its mark are written in one transaction. Answers of deleted projects are dropped.
 */
export async function sortBatches(context: DecisionsContext, log: Log): Promise<Sorted> {
  const { db, store, stopping } = context;
  const { objects, next } = await store.list(batchPrefix, { signal: stopping });
  const keys = objects.map(({ key }) => key);
  const known = new Set(await listSortedBatches(db, keys));
  const waiting = objects.filter(({ key }) => batchTimes(key) && !known.has(key));
  let bytes = 0;
  const taken = waiting.filter(({ size }, index) => {
    bytes += size;
    return index === 0 || bytes <= maxBytes;
  });
  if (taken.length === 0) return { hasMore: false, days: [] };
  return withDuck(duckOptions, async (duck) => {
    const batches = taken.map(({ key }) => ({ object_key: key }));
    const copies = await downloadObjects(store, duck.folder, batches, { mustExist: false, signal: stopping });
    if (copies.length === 0) return { hasMore: false, days: [] };
    const paths = copies.map(({ path }) => path);
    await loadBatches(duck, paths, log);
    const days = await listDays(context, duck);
    const files = await writeDecisionFiles(context, duck, { table: 'batch', columns: fileColumns, days });
    const sorted = copies.map(({ object_key }) => object_key);
    await publishDecisionFiles(context, files, async (tx) => {
      const projectKeys = days.map(({ project_key }) => project_key);
      await insertSortedBatches(tx, sorted);
      await insertOutcomeStates(tx, projectKeys);
    });
    return { hasMore: taken.length < waiting.length || next !== undefined, days };
  });
}

async function loadBatches(duck: Duck, paths: readonly string[], log: Log): Promise<void> {
  const load = async (some: readonly string[]) =>
    duck.run(
      `CREATE OR REPLACE TABLE batch AS SELECT * FROM ${readFiles(some)}
        ORDER BY account_id, project_id, ts // ${dayMs}, recommendation_id`,
    );
  try {
    await load(paths);
  } catch (error) {
    // One damaged file must not keep the others from being read.
    const readable: string[] = [];
    for (const path of paths) {
      const probe = duck.run(`CREATE OR REPLACE TABLE probe AS SELECT * FROM ${readFiles([path])}`);
      const [read] = await Promise.allSettled([probe]);
      if (read.status === 'fulfilled') readable.push(path);
    }
    const damaged = paths.length - readable.length;
    log.error({ err: error, damaged }, 'dropped damaged batches of the decision log');
    if (readable.length === paths.length) throw error;
    if (readable.length > 0) await load(readable);
    else await duck.run('CREATE TABLE batch (account_id VARCHAR, project_id VARCHAR, ts BIGINT)');
  }
}

/** The projects and days of the loaded answers. Projects that do not exist, or not in the account, are left out. */
async function listDays({ db }: DecisionsContext, duck: Duck): Promise<SortedDay[]> {
  const found = await duck.rows<Omit<SortedDay, 'project_key'>>(
    `SELECT account_id, project_id, (ts // ${dayMs})::DOUBLE AS day, min(rowid)::DOUBLE AS first,
      count(*)::DOUBLE AS answers FROM batch GROUP BY ALL`,
  );
  const projects = await listProjectKeys(db, found);
  const keys = new Map(projects.map((one) => [`${one.account_id} ${one.project_id}`, one.project_key]));
  return found.flatMap((one) => {
    const project_key = keys.get(`${one.account_id} ${one.project_id}`);
    return project_key === undefined ? [] : [{ ...one, project_key }];
  });
}
