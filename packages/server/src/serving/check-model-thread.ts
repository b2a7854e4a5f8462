import { parentPort, workerData } from 'node:worker_threads';
import { byPopularity, decodeModel, ModelFileError } from '@tastegraph/algorithms';

/** What came of it: the order that takes long to sort, or what is wrong with the file. */
export type CheckedModel = { readonly popular: Uint32Array } | { readonly flaw: string };

function check(file: Uint8Array): CheckedModel {
  try {
    return { popular: byPopularity(decodeModel(file).model) };
  } catch (error) {
    if (error instanceof ModelFileError) return { flaw: error.message };
    throw error;
  }
}

parentPort?.postMessage(check(workerData as Uint8Array));
