import { checkModelHead } from '@tastegraph/algorithms';
import { explainUnfit, type ModelRole } from '../../domain/deployment/explain-unfit.ts';
import type { ObjectStore } from '../../storage/objects/store.ts';
import type { DeployedModel } from '../../storage/postgres/serving-reads.ts';
import { JobError } from '../job-error.ts';

/** More than is looked at; a store's first chunk may be shorter than that. */
const beginningBytes = 64;

/**
 * Whether the model's file is all there, as the training wrote it, and of a version that this release reads: then it can be
 * decoded. In the memory of a block, however large the file. Throws a JobError when it is not.
 */
export async function checkFile(
  store: ObjectStore,
  role: ModelRole,
  { object_key, size, sha256 }: DeployedModel,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { bytes } = await store.read(object_key, { expect: { size, sha256 }, signal });
    let beginning = Buffer.alloc(0);
    for await (const chunk of bytes as AsyncIterable<Buffer>)
      if (beginning.length < beginningBytes)
        beginning = Buffer.concat([beginning, chunk.subarray(0, beginningBytes)]);
    checkModelHead(beginning);
  } catch (error) {
    const reason = explainUnfit(role, error);
    throw reason === undefined ? error : new JobError('MODEL_UNFIT', reason);
  }
}
