import { repeat } from '../../kernel/lib/repeat.ts';
import { within } from '../../kernel/lib/within.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Database } from '../../kernel/postgres/pool.ts';
import type { ModelCache } from '../../models/model-cache.ts';
import {
  deleteServers,
  insertTrialReport,
  listPendingTrials,
  type TrialRow,
  upsertServer,
} from '../rows/trials.ts';
import { tryModels } from './try-models.ts';

interface TrialContext {
  readonly db: Database;
  readonly models: ModelCache;
  /** Unique to this process, also after a restart. */
  readonly serverId: string;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

/** A process not seen for five seconds counts as dead: see deployments/trials/try-on-servers.ts. */
const heartbeatMs = 1000;
/** How soon this process notices a deployment. */
const pollMs = 250;
/** Concurrent trials: each loads a model or makes a few calls, and mostly waits. */
const maxTrials = 16;
/**
 * Longer than a deployment waits for its trial. A trial that takes longer is abandoned, and retried if the deployment
 * is still in progress.
 */
const trialMs = 90_000;
/** Models that are still loading at shutdown are useless: do not wait for them. */
const graceMs = 1000;

/**
 * Until `stopping`: sends this serving process's heartbeat, and tries every deployment in progress before it goes live.
 * Two loops, since loading a model takes longer than a heartbeat may be late.
 */
export async function tryDeployments(context: TrialContext): Promise<void> {
  const { db, serverId, log, stopping } = context;
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'trying deployments failed; it will be retried');
  const heartbeat = repeat({ pauseMs: heartbeatMs, stopping, onError }, async () => {
    await upsertServer(db, serverId);
    return false;
  });
  /** By project: a slow trial of one must not delay those of others. */
  const inFlight = new Map<string, Promise<void>>();
  const polling = repeat({ pauseMs: pollMs, stopping, onError }, async () => {
    for (const trial of await listPendingTrials(db, serverId)) {
      if (stopping.aborted || inFlight.size >= maxTrials) return false;
      // One per project: further trials of a project that deploys repeatedly wait for the current one.
      if (inFlight.has(trial.project_id)) continue;
      const ended = tryAndReport(context, trial).finally(() => inFlight.delete(trial.project_id));
      inFlight.set(trial.project_id, ended);
    }
    return false;
  });
  await heartbeat;
  // From now on, no deployment waits for this process.
  await deleteServers(db, serverId).catch(onError);
  await within(graceMs, Promise.all([polling, ...inFlight.values()])).catch(() => undefined);
}

/** Does not report transient failures: they are retried for as long as the deployment waits. */
async function tryAndReport({ db, models, serverId, log }: TrialContext, trial: TrialRow): Promise<void> {
  try {
    const problem = await within(trialMs, tryModels(db, models, trial));
    await insertTrialReport(db, trial, serverId, problem);
    log.info({ project_id: trial.project_id, problem }, 'a deployment was tried');
  } catch (error) {
    log.warn({ err: error, project_id: trial.project_id }, 'a deployment trial failed; it will be retried');
  }
}
