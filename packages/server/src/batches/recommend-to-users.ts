import { limits } from '@tastegraph/contract';
import { findDataset } from '../datasets/rows/datasets.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { Work } from '../jobs/engine/run-jobs.ts';
import { runThread } from '../jobs/engine/run-thread.ts';
import { type AttemptRow, pinModels } from '../jobs/rows/attempts.ts';
import type { PinnedModels, ResultFile } from '../jobs/rows/jobs.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { findDeployable } from '../projects/rows/deployments.ts';
import { findModel } from '../projects/rows/models.ts';
import { findServedProjectByKey } from '../serving/rows/served-projects.ts';
import type { ServedProject } from '../serving/rows/serving-reads.ts';
import { formats } from './formats.ts';
import type { RecommendingTask } from './protocol.ts';
import { deleteJobParts, type JobPart, listJobParts } from './rows/parts.ts';

const thread = {
  script: new URL('./recommender.ts', import.meta.url),
  memoryAdvice: 'The deployed models do not fit into the memory of the worker. Give the worker more memory.',
};
const limitLowered = `limit was lowered to ${limits.recommendMax}, the maximum number of items per user.`;

/**
 * The work of a RECOMMENDING job. It continues after the parts of earlier attempts, with the models that the first
 * attempt found deployed.
 */
export function recommendToUsers(
  db: Database,
  settings: Pick<RecommendingTask, 'databaseUrl' | 'objects' | 'fileUsers'>,
): Work<'RECOMMENDING'> {
  return async (attempt, context) => {
    const {
      job_key,
      job_id,
      job_data: { models: pinned, ...request },
    } = attempt;
    const project = await findServedProjectByKey(db, attempt.account_id, attempt.project_key);
    if (!project) throw new JobError('PROJECT_DELETED', 'The project was deleted.');
    const models = pinned ?? (await pinModels(db, attempt));
    if (!models) throw notDeployed();
    const parts = await listJobParts(db, job_key);
    const task: RecommendingTask = {
      ...settings,
      attempt: { job_key, attempt: attempt.attempt },
      project,
      models: await findModels(db, attempt, models),
      request,
      attributeSchema:
        (await findDataset(db, attempt.account_id, 'item', project.items.id))?.attribute_schema ?? null,
      folder: `results/${job_id}/${attempt.attempt}`,
      written: {
        parts: parts.length,
        users: countUsers(parts),
        lastUserId: parts.at(-1)?.last_user_id ?? '',
      },
      expectedUsers: request.user_ids?.length ?? (await estimateUsers(db, project, models)),
    };
    try {
      await runThread(thread, task, context);
    } catch (error) {
      // If a model was deleted meanwhile, its file is gone too: report that instead.
      if (!context.signal.aborted) await findModels(db, attempt, models);
      throw error;
    }
    context.report('publishing', 1);
    const written = await listJobParts(db, job_key);
    return {
      result: {
        files: filesOf(attempt, written),
        message: (request.limit ?? 0) > limits.recommendMax ? limitLowered : null,
        user_count: countUsers(written),
      },
      publish: (tx) => deleteJobParts(tx, job_key, written.length),
      // The parts stay with the job. If it has ended, a worker removes them.
      discard: async () => undefined,
    };
  };
}

async function findModels(
  db: Database,
  { project_key }: AttemptRow<'RECOMMENDING'>,
  { generator_model_id, ranker_model_id }: PinnedModels,
): Promise<RecommendingTask['models']> {
  const found = await findDeployable(db, project_key, generator_model_id, ranker_model_id);
  if (!found?.generator || (ranker_model_id !== null && !found.ranker))
    throw new JobError(
      'MODEL_DELETED',
      'A model that was deployed when the job started was deleted. Submit the job again.',
    );
  return { generator: found.generator, ranker: found.ranker };
}

function notDeployed(): JobError {
  return new JobError(
    'PROJECT_NOT_DEPLOYED',
    'The deployment was shut down before the job started. Deploy a model, then submit the job again.',
  );
}

/** Users may have a record, events or both. Training counted those with events. */
async function estimateUsers(
  db: Database,
  { account_id, project_id, users }: ServedProject,
  { generator_model_id }: PinnedModels,
): Promise<number> {
  const dataset = await findDataset(db, account_id, 'user', users.id);
  const model = await findModel(db, account_id, project_id, generator_model_id);
  return Math.max(1, dataset?.record_count ?? 0, model?.training.data.users ?? 0);
}

const countUsers = (parts: readonly JobPart[]) => parts.reduce((sum, { users }) => sum + users, 0);

function filesOf(
  { job_id, job_data: { format } }: AttemptRow<'RECOMMENDING'>,
  parts: readonly JobPart[],
): ResultFile[] {
  const { extension, contentType } = formats[format];
  return parts.map(({ part, object_key, size, sha256 }) => ({
    object_key,
    size,
    sha256,
    file_name: `recommendations-${job_id}${parts.length === 1 ? '' : `-${part}`}.${extension}`,
    content_type: contentType,
  }));
}
