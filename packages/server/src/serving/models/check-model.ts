import { Worker } from 'node:worker_threads';
import { ModelFileError, readModel } from '@tastegraph/algorithms';
import type { CheckedModel } from './check-model-thread.ts';

/** Smaller files are checked in a few milliseconds, less than a thread takes to start. 3 MB take 15 to 50 ms. */
const smallBytes = 2 ** 18;

/**
 * Validates a model file; a large one in a thread, so that calls go on: 100 MB take half a second. The file is in
 * shared memory. Returns the items by popularity, most popular first; throws a ModelFileError.
 */
export async function checkModel(file: Uint8Array<SharedArrayBuffer>): Promise<Uint32Array> {
  // Validates and sorts in one pass: sorting by popularity takes as long as reading.
  if (file.byteLength <= smallBytes) return readModel(file).model.popular();
  const thread = new Worker(new URL('./check-model-thread.ts', import.meta.url), { workerData: file });
  const checked = await new Promise<CheckedModel>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the thread that checks a model ended without a result')));
  });
  if ('flaw' in checked) throw new ModelFileError(checked.flaw);
  return checked.popular;
}
