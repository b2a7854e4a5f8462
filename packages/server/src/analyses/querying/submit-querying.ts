import type { Request } from '@tastegraph/contract';
import type { Context } from '../../http/context.ts';
import { submitAnalysis } from '../submit-analysis.ts';
import { checkQueries } from './check-queries.ts';

/** Queries are answered from the model's snapshot, not from the current data. */
export async function submitQuerying(
  ctx: Context,
  { name, project_id, ...job_data }: Request<'submitQueryingJob'>,
): Promise<{ job_id: string }> {
  return submitAnalysis(ctx, project_id, { job_type: 'QUERYING', name, job_data }, ({ attributes }) =>
    checkQueries(job_data, attributes),
  );
}
