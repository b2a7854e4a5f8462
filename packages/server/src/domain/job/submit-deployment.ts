import { limits } from '@tastegraph/contract';
import { lockQps } from '../../storage/postgres/accounts.ts';
import { findModel } from '../../storage/postgres/models.ts';
import { findProject } from '../../storage/postgres/projects.ts';
import type { Context } from '../context.ts';
import { Fault } from '../fault.ts';
import { foundModel } from '../model/get-model.ts';
import { foundProject } from '../project/get-project.ts';
import { submitJob } from './submit-job.ts';

export interface DeploymentRequest {
  readonly project_id: string;
  readonly name: string;
  readonly generator_model_id: string;
  readonly ranker_model_id?: string | null;
  readonly qps?: number;
}

/** What serves the project until the job succeeds goes on serving it, and stays if the job fails. */
export async function submitDeployment(
  ctx: Context,
  {
    project_id,
    name,
    generator_model_id,
    ranker_model_id = null,
    qps = limits.qpsDefault,
  }: DeploymentRequest,
): Promise<{ job_id: string }> {
  return ctx.db.transaction(async (tx) => {
    const { cap } = await lockQps(tx, ctx.accountId);
    const { project_key } = foundProject(await findProject(tx, ctx.accountId, project_id));
    for (const id of [generator_model_id, ranker_model_id])
      if (id !== null) foundModel(await findModel(tx, ctx.accountId, project_id, id));
    if (cap !== null && qps > cap) {
      throw new Fault(
        'QUOTA_EXCEEDED',
        `The plan allows a deployment ${cap} queries per second, not ${qps}. Ask for fewer, or have the plan raised.`,
      );
    }
    const job_data = { generator_model_id, ranker_model_id, qps };
    return submitJob(ctx, tx, project_key, { job_type: 'DEPLOYMENT', name, job_data });
  });
}
