import type { Request } from '@tastegraph/contract';
import type { Context } from '../context.ts';
import { checkQueries } from './check-queries.ts';
import { submitAnalysis } from './submit-analysis.ts';

/** Answers for what the model was trained on, whatever came since. */
export async function submitQuerying(
  ctx: Context,
  { name, project_id, ...job_data }: Request<'submitQueryingJob'>,
): Promise<{ job_id: string }> {
  return submitAnalysis(ctx, project_id, { job_type: 'QUERYING', name, job_data }, ({ attributes }) =>
    checkQueries(job_data, attributes),
  );
}
