import { algorithmOfFile } from '@tastegraph/algorithms';
import { JobError } from '../jobs/engine/job-error.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { DeployedModel } from '../projects/rows/deployments.ts';
import { explainUnfit, type ModelRole } from './explain-unfit.ts';

/** More than the check reads; the store's first chunk may be shorter than that. */
const headBytes = 64;

/**
 * Checks that the model's file is complete and unchanged, and of a version that this release reads, so that it can be
 * decoded. Takes one block of memory, however large the file. Throws a JobError otherwise.
 */
export async function checkFile(
  store: ObjectStore,
  role: ModelRole,
  { object_key, size, sha256 }: DeployedModel,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { bytes } = await store.read(object_key, { expect: { size, sha256 }, signal });
    let head = Buffer.alloc(0);
    for await (const chunk of bytes as AsyncIterable<Buffer>)
      if (head.length < headBytes) head = Buffer.concat([head, chunk.subarray(0, headBytes)]);
    algorithmOfFile(head);
  } catch (error) {
    const reason = explainUnfit(role, error);
    throw reason === undefined ? error : new JobError('MODEL_UNFIT', reason);
  }
}
