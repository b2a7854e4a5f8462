import { ApiError } from '../../http/api-error.ts';
import { within } from '../../kernel/lib/within.ts';
import type { Metrics } from '../../kernel/observability/metrics.ts';
import type { TokenBucket } from '../../kernel/redis/token-bucket.ts';
import type { CallClock } from '../call-clock.ts';
import { refusedCalls } from '../metrics.ts';
import type { ServedDeployment, ServedProject } from '../rows/serving-reads.ts';
import type { LiveReads } from '../state/live-reads.ts';

interface QpsContext {
  readonly bucket: TokenBucket;
  readonly reads: LiveReads;
  readonly metrics: Metrics;
}

/** Share of a call's time for reading whether the limit changed. Without a response, the known limit applies. */
const checkShare = 0.2;

/**
 * Takes a token for the call before anything is read, so that a flood costs almost nothing. Returns the qps limit that
 * was applied, which may be outdated: `admitCurrent` corrects that once the deployment was read. A call is refused only
 * after a read confirms that the limit still applies; refused calls share those reads.
 */
export async function admitKnown(
  { bucket, reads, metrics }: QpsContext,
  project: ServedProject,
  known: ServedDeployment | undefined,
  clock: CallClock,
): Promise<number | undefined> {
  if (!known) return undefined;
  const taken = await bucket.take(project.project_id, known.qps);
  if (taken.allowed) return taken.limit;
  const check = within(clock.leftMs() * checkShare, reads.qps(project, clock.endMs));
  const currentQps = await check.catch(() => taken.limit);
  // Nothing is deployed, or the limit changed: the deployment that is read next decides.
  if (currentQps !== taken.limit) return undefined;
  throw refuse(metrics, explainLimit(taken.limit), taken.retryAfterSeconds);
}

/** Enough for people who try things, and little beside what a process serves. */
const trialQps = 20;

/** Calls of people in the console have a limit of their own per project, so that trying things takes nothing from the shop. */
export async function admitTrial(
  { bucket, metrics }: Pick<QpsContext, 'bucket' | 'metrics'>,
  { project_id }: ServedProject,
): Promise<void> {
  const taken = await bucket.take(`${project_id}:trials`, trialQps);
  const message = `The console is limited to ${trialQps} calls per second and project. Try again in a second.`;
  if (!taken.allowed) throw refuse(metrics, message, taken.retryAfterSeconds);
}

/** If the deployment has another qps than the one that was applied, takes a token with the current one. */
export async function admitCurrent(
  { bucket, metrics }: QpsContext,
  { project_id }: ServedProject,
  { qps }: ServedDeployment,
  appliedQps: number | undefined,
): Promise<void> {
  if (appliedQps === qps) return;
  const taken = await bucket.take(project_id, qps, { isCurrent: true });
  if (!taken.allowed) throw refuse(metrics, explainLimit(qps), taken.retryAfterSeconds);
}

const explainLimit = (qps: number) =>
  `The project is limited to ${qps} ${qps === 1 ? 'call' : 'calls'} per second. Wait as long as Retry-After says, or deploy with a larger qps.`;

function refuse(metrics: Metrics, message: string, retryAfterSeconds: number): ApiError {
  metrics.add(refusedCalls, { reason: 'qps' });
  return new ApiError('QPS_EXCEEDED', message, { retryAfterSeconds });
}
