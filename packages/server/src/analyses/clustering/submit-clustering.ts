import type { Request } from '@tastegraph/contract';
import type { Context } from '../../http/context.ts';
import { submitAnalysis } from '../submit-analysis.ts';

/** Clusters the users that the model was trained on. */
export async function submitClustering(
  ctx: Context,
  { name, project_id, ...job_data }: Request<'submitClusteringJob'>,
): Promise<{ job_id: string }> {
  return submitAnalysis(ctx, project_id, { job_type: 'CLUSTERING', name, job_data }, () => undefined);
}
