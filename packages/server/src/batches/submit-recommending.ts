import type { Request } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { compileFilter } from '../filters/compile-filter.ts';
import type { Context } from '../http/context.ts';
import { submitJob } from '../jobs/submit-job.ts';
import { parseJson } from '../kernel/lib/json.ts';
import { requireProject } from '../projects/get-project.ts';
import { findProject } from '../projects/rows/projects.ts';
import { getScenario } from '../scenarios/get-scenario.ts';
import { checkQuestion } from '../scenarios/served.ts';
import { placementOf } from '../serving/placement.ts';
import { compileRules } from '../serving/rules/compile-rules.ts';
import { noDeployment } from '../serving/state/projects.ts';

/** Refuses what a recommendation call would refuse: a project without a deployment, and filters or rules that are not valid. */
export async function submitRecommending(
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

/**
 * The fields with those of the scenario, where they are absent. Resolved when the job is submitted, so that its data says what it
 * does, whatever happens to the scenario later.
 */
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
