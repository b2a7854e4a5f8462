import { parentPort, workerData } from 'node:worker_threads';
import { ModelFileError, readModel } from '@tastegraph/algorithms';

/** The result, or what is wrong with the file. */
export type CheckedModel = { readonly popular: Uint32Array } | { readonly flaw: string };

function check(file: Uint8Array): CheckedModel {
  try {
    return { popular: readModel(file).model.popular() };
  } catch (error) {
    if (error instanceof ModelFileError) return { flaw: error.message };
    throw error;
  }
}

parentPort?.postMessage(check(workerData as Uint8Array));
