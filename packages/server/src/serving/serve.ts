import { limits, type Request, type Response } from '@tastegraph/contract';
import { Fault } from '../domain/fault.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ServedProject } from '../storage/postgres/serving-reads.ts';
import type { TokenBucket } from '../storage/redis/token-bucket.ts';
import type { Admission } from './admission.ts';
import type { Projects } from './projects.ts';
import { recommend, type Serving } from './recommend.ts';

export interface Server {
  readonly serving: Serving;
  readonly projects: Projects;
  readonly bucket: TokenBucket;
  readonly admission: Admission;
  readonly metrics: Metrics;
}

/** A call as it comes: whose it is, whether it may go on, and what it is answered. What is refused costs no read. */
export async function serve(
  server: Server,
  accountId: string,
  { project_id, ...request }: Request<'recommendItemsToUser'>,
): Promise<Response<'recommendItemsToUser'>> {
  const { serving, projects, admission, metrics } = server;
  const project = await projects.resolve(accountId, project_id);
  const known = serving.lastKnown.get(project.project_key);
  if (known) await takeOne(server, project, known.qps);
  return admission.run(project.project_id, async () => {
    const answer = await recommend(serving, project, {
      user_id: request.user_id,
      attributes: request.attributes ?? [],
      limit: request.limit ?? limits.recommendDefault,
      filter_query: request.filter_query ?? null,
      exclude_seen: request.exclude_seen ?? true,
      explain: request.explain ?? false,
    });
    if (!answer) throw await projects.explainAbsence(accountId, project);
    // The first call of a project in this process: how many it may make was not known before.
    if (!known) await takeOne(server, project, serving.lastKnown.get(project.project_key)?.qps ?? 1);
    metrics.recommended(answer.results.length);
    return answer;
  });
}

async function takeOne(
  { bucket, metrics }: Server,
  { project_id }: ServedProject,
  qps: number,
): Promise<void> {
  const taken = await bucket.take(project_id, qps);
  if (taken.allowed) return;
  metrics.recommendationRefused('qps');
  throw new Fault(
    'QPS_EXCEEDED',
    `The project may make ${qps} ${qps === 1 ? 'call' : 'calls'} a second. Wait as long as Retry-After says, or deploy with a larger qps.`,
    { retryAfterSeconds: taken.retryAfterSeconds },
  );
}
