import { ReadLimits } from '@tastegraph/files/open';
import { nestedTooDeep, recordKinds } from '../datasets/records/check-record.ts';
import { maxBytes, tooLarge } from '../datasets/records/partition-records.ts';
import { upsertRecords, type WriteContext } from '../datasets/records/upsert-records.ts';
import { runChildWork } from '../jobs/engine/child-work.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { ThreadContext } from '../jobs/engine/thread-work.ts';
import { formatCount } from '../kernel/lib/format.ts';
import { openObjectStore } from '../kernel/objects/open.ts';
import { openDatabase } from '../kernel/postgres/pool.ts';
import { UsageRecorder } from '../usage/usage-recorder.ts';
import type { ImportFile, ImportResult, ImportTask } from './protocol.ts';
import { type ReadRow, readFile, type UnreadRow } from './read-file.ts';
import { Rejected } from './rejected.ts';
import { WriteLanes } from './write-lanes.ts';

/** As many writes at a time as an import through the API has by default. */
const connections = 4;
/** How often the counts of events by day and type are written. */
const flushMs = 10_000;

/** More rejected rows are an error of the file, unless as many are written. */
const maxRejected = 1_000_000;

interface FileRow extends ReadRow {
  readonly file: string;
}

/** The process that imports the files of one job, one after the other. */
async function run(task: ImportTask, { signal, report }: ThreadContext): Promise<ImportResult> {
  const { kind, datasetId, files, accountId, allowOldTs } = task;
  const db = openDatabase({ url: task.databaseUrl, poolSize: connections, onIdleError: () => undefined });
  const usage = new UsageRecorder();
  const ctx: WriteContext = { accountId, db, usage };
  const rejected = new Rejected();
  let [recordCount, replacedCount] = [0, 0];
  const write = async (rows: readonly FileRow[]) => {
    const records = rows.map(({ record }) => record);
    const { succeed_ids, failures } = await upsertRecords(ctx, kind, datasetId, records, { allowOldTs });
    recordCount += succeed_ids.length;
    replacedCount += rows.length - succeed_ids.length - failures.length;
    for (const { index, code, message } of failures) {
      const { file, line, record } = rows[index] as FileRow;
      rejected.add({ file, line, code, message, record });
    }
  };
  const lanes = new WriteLanes<FileRow>(connections, write);
  const take = async (file: string, row: ReadRow | UnreadRow) => {
    if ('malformed' in row) rejected.addMalformed(file, row.line, row.malformed);
    // Neither is kept in memory: a row may have megabytes, or be nested too deep to be written as JSON.
    else if (row.bytes === Number.POSITIVE_INFINITY)
      rejected.add({ file, line: row.line, code: 'FIELD_INVALID', message: nestedTooDeep });
    else if (row.bytes > 2 * maxBytes(kind)) rejected.add({ file, line: row.line, ...tooLarge(kind) });
    else await lanes.add(idOf(row.record, kind), { ...row, file }, row.bytes);
  };
  try {
    await using store = await openObjectStore(task.objects);
    const total = files.reduce((sum, { size }) => sum + size, 1);
    const readLimits = new ReadLimits(task.maxBytes);
    let [done, flushedAt] = [0, Date.now()];
    for (const file of files) {
      const onPosition = (fraction: number) => {
        const written = `${file.path}: ${recordCount.toLocaleString('en')} records written`;
        report('importing', (done + fraction * file.size) / total, written);
      };
      onPosition(0);
      for await (const rows of readFile(store, file, { ...task, readLimits, signal, onPosition })) {
        for (const row of rows) await take(file.path, row);
        if (rejected.count > maxRejected + recordCount) throw tooManyRejected(file, rejected);
        if (Date.now() - flushedAt < flushMs) continue;
        // What is not flushed is kept for the next time.
        await usage.flush(db).catch(() => undefined);
        flushedAt = Date.now();
      }
      done += file.size;
    }
    await lanes.end();
    await usage.flush(db).catch(() => undefined);
    const sentences = [replacedMessage(replacedCount), rejected.message()];
    const message = sentences.filter((sentence) => sentence !== null).join(' ') || null;
    const stored = await store.put(task.rejectedKey, rejected.bytes(), { signal });
    return { stored, recordCount, rejectedCount: rejected.count, message };
  } finally {
    await db.close();
  }
}

function replacedMessage(count: number): string | null {
  if (count === 0) return null;
  return `${formatCount(count, 'row')} had the ID of a later row, which replaced ${count === 1 ? 'it' : 'them'}.`;
}

function tooManyRejected({ path }: ImportFile, rejected: Rejected): JobError {
  return new JobError(
    'FILE_INVALID',
    `${path}: ${rejected.message() ?? ''} Correct the file, and submit the job again.`,
  );
}

/** Records without a valid ID are rejected, in whatever order. */
function idOf(record: unknown, kind: ImportTask['kind']): string {
  const id = (record as Readonly<Record<string, unknown>>)[recordKinds[kind].idField];
  return typeof id === 'string' ? id : '';
}

await runChildWork(run);
