import { runThreadWork, type ThreadContext } from '../jobs/engine/thread-work.ts';
import { openObjectStore } from '../kernel/objects/open.ts';
import { insertOrphanedObjects } from '../kernel/objects/orphaned-objects.ts';
import { openDatabase } from '../kernel/postgres/pool.ts';
import { formats, writeFiles } from './formats.ts';
import type { ExportResult, ExportTask } from './protocol.ts';
import { readPages } from './read-pages.ts';

/** Large enough for few files, small enough to download again after a failure. */
const fileBytes = 256 * 1024 * 1024;

/** The thread that exports one dataset. */
async function run(task: ExportTask, { signal, report }: ThreadContext): Promise<ExportResult> {
  const { dataset, folder, fileName } = task;
  const { extension, contentType, createEncoder } = formats[task.format];
  const db = openDatabase({ url: task.databaseUrl, poolSize: 1, onIdleError: () => undefined });
  try {
    await using store = await openObjectStore(task.objects);
    let recordCount = 0;
    const total = Math.max(1, dataset.record_count);
    const pages = readPages(db, dataset, task.sinceTs, (read) =>
      // The dataset may grow meanwhile.
      report('exporting', Math.min(1, read / total), `${read.toLocaleString('en')} records`),
    );
    const stored = await writeFiles(pages, {
      fileBytes,
      createEncoder: () => createEncoder(dataset),
      onPage: (rows) => (recordCount += rows.length),
      put: async (number, source) => {
        const object_key = `${folder}/part-${String(number).padStart(5, '0')}.${extension}`;
        await insertOrphanedObjects(db, [object_key], task.attempt);
        return { object_key, ...(await store.put(object_key, source, { signal })) };
      },
    });
    const isAlone = stored.length === 1;
    const files = stored.map((file, index) => ({
      ...file,
      file_name: `${fileName}${isAlone ? '' : `-${index + 1}`}.${extension}`,
      content_type: contentType,
    }));
    return { files, recordCount };
  } finally {
    await db.close();
  }
}

await runThreadWork(run);
