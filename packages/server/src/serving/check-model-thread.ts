import { parentPort, workerData } from 'node:worker_threads';
import { ModelFileError } from '@tastegraph/algorithms';
import { checkHere } from './check-here.ts';

/** What came of it, or what is wrong with the file. */
export type CheckedModel = { readonly popular: Uint32Array } | { readonly flaw: string };

function check(file: Uint8Array): CheckedModel {
  try {
    return { popular: checkHere(file) };
  } catch (error) {
    if (error instanceof ModelFileError) return { flaw: error.message };
    throw error;
  }
}

parentPort?.postMessage(check(workerData as Uint8Array));
