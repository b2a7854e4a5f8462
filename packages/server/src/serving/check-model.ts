import { Worker } from 'node:worker_threads';
import { ModelFileError } from '@tastegraph/algorithms';
import { checkHere } from './check-here.ts';
import type { CheckedModel } from './check-model-thread.ts';

/** What is smaller is read through in some milliseconds, and a thread takes longer to start. */
const smallBytes = 2 ** 22;

/**
 * Reads the file through, a large one in a thread, because calls go on meanwhile: a hundred megabytes take half a second. It lies in shared
 * memory, and is then known to be sound. Answers its items, the most popular first; throws a ModelFileError.
 */
export async function checkModel(file: Uint8Array<SharedArrayBuffer>): Promise<Uint32Array> {
  if (file.byteLength <= smallBytes) return checkHere(file);
  const thread = new Worker(new URL('./check-model-thread.ts', import.meta.url), { workerData: file });
  const checked = await new Promise<CheckedModel>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('the thread that checks a model ended without a word')));
  });
  if ('flaw' in checked) throw new ModelFileError(checked.flaw);
  return checked.popular;
}
