import { algorithmOfFile } from '@tastegraph/algorithms';
import { JobError } from '../jobs/engine/job-error.ts';
import type { ObjectStore } from '../kernel/objects/store.ts';
import type { DeployedModel } from '../projects/rows/deployments.ts';
import type { DeployedKeys } from '../projects/rows/past-deployments.ts';
import { explainUnfit, type ModelRole } from './explain-unfit.ts';
import type { ModelPair } from './guard/protocol.ts';

export const keysOf = ({ generator, ranker }: ModelPair): DeployedKeys => ({
  generator_model_key: generator.model_key,
  ranker_model_key: ranker?.model_key ?? null,
});

/** Throws a JobError unless both files are complete, unchanged and of a version that this release reads. */
export async function checkFiles(
  store: ObjectStore,
  { generator, ranker }: ModelPair,
  signal?: AbortSignal,
): Promise<void> {
  await checkFile(store, 'generator', generator, signal);
  if (ranker) await checkFile(store, 'ranker', ranker, signal);
}

/** More than the check reads; the store's first chunk may be shorter than that. */
const headBytes = 64;

/** Takes one block of memory. */
async function checkFile(
  store: ObjectStore,
  role: ModelRole,
  { object_key, size, sha256 }: DeployedModel,
  signal: AbortSignal | undefined,
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
