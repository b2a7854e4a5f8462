import { limits, type Request } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { findDataset } from '../datasets/rows/datasets.ts';
import { compileFilter } from '../filters/compile-filter.ts';
import type { Context } from '../http/context.ts';
import type { JobDefinition, WorkerServices } from '../jobs/engine/job-definition.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { Work } from '../jobs/engine/run-jobs.ts';
import { runThread } from '../jobs/engine/run-thread.ts';
import { type AttemptRow, pinModels } from '../jobs/rows/attempts.ts';
import type { PinnedModels, ResultFile } from '../jobs/rows/jobs.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { parseJson } from '../kernel/lib/json.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import type { TaskStep } from '../module.ts';
import { requireProject } from '../projects/get-project.ts';
import { findDeployable } from '../projects/rows/deployments.ts';
import { findModel } from '../projects/rows/models.ts';
import { findProject } from '../projects/rows/projects.ts';
import { getScenario } from '../scenarios/get-scenario.ts';
import { checkQuestion } from '../scenarios/served.ts';
import type { Services } from '../services.ts';
import { placementOf } from '../serving/placement.ts';
import { findServedProjectByKey } from '../serving/rows/served-projects.ts';
import type { ServedProject } from '../serving/rows/serving-reads.ts';
import { compileRules } from '../serving/rules/compile-rules.ts';
import { noDeployment } from '../serving/state/projects.ts';
import { formats } from './formats.ts';
import type { RecommendingTask } from './protocol.ts';
import { deleteJobParts, type JobPart, listJobParts, orphanJobParts } from './rows.ts';

export const recommending: JobDefinition<'RECOMMENDING'> = {
  submit: submitRecommending,
  work: recommendToUsers,
  // A job takes one thread and a few connections.
  concurrency: () => 1,
  hasUserIdFields: true,
};

/** Refuses what a recommendation call would refuse: a project without a deployment, and filters or rules that are not valid. */
async function submitRecommending(
  ctx: Context,
  { name, project_id, ...sent }: Request<'submitRecommendingJob'>,
): Promise<{ job_id: string }> {
  const job_data = await withScenario(ctx, project_id, sent);
  const placement = placementOf(job_data);
  if (placement.filter_query !== null) compileFilter(placement.filter_query);
  await compileRules({ serving: { compileFilter }, project: { account_id: ctx.accountId } }, placement);
  return ctx.db.transaction(async (tx) => {
    await lockAccount(tx, ctx.accountId);
    const project = requireProject(await findProject(tx, ctx.accountId, project_id), project_id);
    if (!project.deployment) throw noDeployment(project_id);
    return submitJob(ctx, tx, project.project_key, { job_type: 'RECOMMENDING', name, job_data });
  });
}

type JobFields = Omit<Request<'submitRecommendingJob'>, 'name' | 'project_id'>;

/** Resolved when the job is submitted, so that its data says what it does, whatever happens to the scenario later. */
async function withScenario(ctx: Context, projectId: string, fields: JobFields): Promise<JobFields> {
  const { scenario } = fields;
  if (scenario === undefined) return fields;
  requireProject(await findProject(ctx.db, ctx.accountId, projectId), projectId);
  const { question, settings } = await getScenario(ctx, projectId, scenario);
  checkQuestion(scenario, question, 'recommendItemsToUser');
  // Files contain no explanations.
  const { explain: _, ...shared } = parseJson(settings) as Request<'updateScenario'>;
  return { ...shared, ...fields };
}

const thread = {
  script: new URL('./recommender.ts', import.meta.url),
  memoryAdvice: 'The deployed models do not fit into the memory of the worker. Give the worker more memory.',
};
const limitLowered = `limit was lowered to ${limits.recommendMax}, the maximum number of items per user.`;

/** Continues after the parts of earlier attempts, with the models that the first attempt found deployed. */
function recommendToUsers(services: WorkerServices): Work<'RECOMMENDING'> {
  const { db, databaseUrl, objects, recommendingFileUsers: fileUsers } = services;
  return async (attempt, context) => {
    const { job_key, job_id } = attempt;
    const { models: pinned, ...request } = attempt.job_data;
    const project = await findServedProjectByKey(db, attempt.account_id, attempt.project_key);
    if (!project) throw new JobError('PROJECT_DELETED', 'The project was deleted.');
    const models = pinned ?? (await pinModels(db, attempt));
    if (!models)
      throw new JobError(
        'PROJECT_NOT_DEPLOYED',
        'The deployment was shut down before the job started. Deploy a model, then submit the job again.',
      );
    const parts = await listJobParts(db, job_key);
    const dataset = await findDataset(db, attempt.account_id, 'item', project.items.id);
    const task: RecommendingTask = {
      databaseUrl,
      objects,
      fileUsers,
      attempt: { job_key, attempt: attempt.attempt },
      project,
      models: await findModels(db, attempt, models),
      request,
      attributeSchema: dataset?.attribute_schema ?? null,
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

const partsPerStep = 20;

/** Orphans the files of jobs that ended without publishing them. */
export function orphanParts({ db }: Pick<Services, 'db'>): TaskStep {
  return async () => (await orphanJobParts(db, partsPerStep)) === partsPerStep;
}
