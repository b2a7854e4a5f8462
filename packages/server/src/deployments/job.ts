import { limits, type SubmitRequest } from '@tastegraph/contract';
import { lockQps } from '../accounts/rows/accounts.ts';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import type { Hooks } from '../http/hooks.ts';
import type { JobDefinition, WorkerServices } from '../jobs/engine/job-definition.ts';
import { JobError } from '../jobs/engine/job-error.ts';
import type { Work } from '../jobs/engine/run-jobs.ts';
import type { AttemptRow } from '../jobs/rows/attempts.ts';
import { submitJob } from '../jobs/submit-job.ts';
import type { Database, Transaction } from '../kernel/postgres/pool.ts';
import { getLockedModel } from '../projects/get-model.ts';
import { requireProject } from '../projects/get-project.ts';
import { findDeployable, upsertDeployment } from '../projects/rows/deployments.ts';
import { findProject, findProjectId } from '../projects/rows/projects.ts';
import { checkFiles, keysOf } from './check-files.ts';
import { type GuardReport, guardDeployment } from './guard/guard-deployment.ts';
import type { ModelPair } from './guard/protocol.ts';
import { modelDeleted, tryOnServers, whileModelsExist } from './trials/try-on-servers.ts';

export const deployment: JobDefinition<'DEPLOYMENT'> = {
  submit: submitDeployment,
  work: deployModels,
  // A deployment takes seconds, most of which it spends waiting. A guard computes for a few seconds more.
  concurrency: () => 1,
};

/** The current deployment serves until the job succeeds, and stays if the job fails. */
async function submitDeployment(
  ctx: Context,
  request: SubmitRequest<'DEPLOYMENT'>,
): Promise<{ job_id: string }> {
  const { project_id, name, generator_model_id, ranker_model_id = null, qps: requestedQps, guard } = request;
  return ctx.db.transaction(async (tx) => {
    const { cap } = await lockQps(tx, ctx.accountId);
    const project = await findProject(tx, ctx.accountId, project_id);
    const { project_key, deployment } = requireProject(project, project_id);
    const qps = requestedQps ?? deployment?.qps ?? limits.qpsDefault;
    for (const id of [generator_model_id, ranker_model_id])
      if (id !== null) await getLockedModel(ctx, tx, project_id, id);
    if (cap !== null && requestedQps !== undefined && requestedQps > cap) {
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `The plan allows a qps of at most ${cap} per deployment, and ${requestedQps} was requested. Lower qps, or ask the operator to raise the cap with "admin set-plan".`,
      );
    }
    // With `keeps_qps` the job keeps the qps that is current when it publishes.
    const keeps_qps = requestedQps === undefined;
    const job_data = { generator_model_id, ranker_model_id, qps, keeps_qps, ...(guard && { guard }) };
    return submitJob(ctx, tx, project_key, { job_type: 'DEPLOYMENT', name, job_data });
  });
}

interface ModelsToDeploy extends ModelPair {
  readonly serving_uri: string;
}

/** The work of a DEPLOYMENT job. Until it is published, the current deployment is unaffected. */
function deployModels(services: WorkerServices): Work<'DEPLOYMENT'> {
  const { db, store, hooks } = services;
  return async (attempt, context) => {
    const { signal, report } = context;
    const { serving_uri, ...candidate } = await findModels(db, attempt);
    report('checking', 0, 'the model files');
    try {
      await checkFiles(store, candidate, signal);
    } catch (error) {
      // If a model was deleted meanwhile, its file is gone too: report that instead.
      await findModels(db, attempt);
      throw error;
    }

    const models = keysOf(candidate);
    const { guard } = attempt.job_data;
    const guarded = guard && (await guardDeployment(services, attempt, { guard, candidate }, context));
    const result = {
      serving_uri,
      ...(guarded ? { deployed: guarded.isDeployed, guard: guarded.report } : {}),
    };
    const discard = async () => undefined;
    if (guarded?.isDeployed === false) {
      const publish = async (tx: Transaction) => {
        await guarded.recheck(tx);
        await announceRefusal(tx, hooks, attempt, guarded.report);
      };
      return { result, publish, discard };
    }

    report('trying', 0.5, 'every serving process loads and tries the models');
    await tryOnServers(db, attempt, models, signal);

    report('publishing', 1);
    const { project_key, job_data } = attempt;
    return {
      result,
      publish: async (tx) => {
        const { qps, keeps_qps = false } = job_data;
        await guarded?.recheck(tx);
        await whileModelsExist(upsertDeployment(tx, { project_key, ...models, qps, keeps_qps }));
      },
      discard,
    };
  };
}

async function findModels(db: Database, attempt: AttemptRow<'DEPLOYMENT'>): Promise<ModelsToDeploy> {
  const { generator_model_id, ranker_model_id } = attempt.job_data;
  const found = await findDeployable(db, attempt.project_key, generator_model_id, ranker_model_id);
  if (!found) throw new JobError('PROJECT_DELETED', 'The project was deleted.');
  const { serving_uri, generator, ranker } = found;
  if (!generator || (ranker_model_id !== null && !ranker)) throw modelDeleted();
  return { serving_uri, generator, ranker };
}

async function announceRefusal(
  tx: Transaction,
  hooks: Hooks,
  { account_id, project_key, job_id, job_data }: AttemptRow<'DEPLOYMENT'>,
  guard: GuardReport,
): Promise<void> {
  const project_id = await findProjectId(tx, project_key);
  const { generator_model_id, ranker_model_id } = job_data;
  const data = { project_id, job_id, generator_model_id, ranker_model_id, guard };
  await hooks.announce(tx, account_id, 'guard.refused', data);
}
