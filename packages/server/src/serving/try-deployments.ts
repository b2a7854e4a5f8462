import { repeat } from '../lib/repeat.ts';
import { within } from '../lib/within.ts';
import type { Log } from '../observability/log.ts';
import type { Database } from '../storage/postgres/pool.ts';
import { deleteServers, upsertServer } from '../storage/postgres/servers.ts';
import { insertTrialReport, listUntried, type TrialRow } from '../storage/postgres/trials.ts';
import type { ModelCache } from './model-cache.ts';
import { tryModels } from './try-models.ts';

export interface Trying {
  readonly db: Database;
  readonly models: ModelCache;
  /** Of this process alone, also after it was started again. */
  readonly serverId: string;
  readonly log: Log;
  readonly stopping: AbortSignal;
}

/** A process not seen for five seconds counts as gone: see jobs/deployment/try-on-servers.ts. */
const showMs = 1000;
/** How long a deployment waits for us to notice it. */
const lookMs = 250;
/** What is being loaded at the stop is of no use to anybody: it is not waited for. */
const graceMs = 1000;

/**
 * Until `stopping`: shows that this serving process is alive, and tries every deployment under way before it is switched to.
 * Two loops, since to load a model takes longer than a process may not be seen.
 */
export async function tryDeployments(trying: Trying): Promise<void> {
  const { db, serverId, log, stopping } = trying;
  const onError = (error: unknown) => log.warn({ err: error }, 'trying deployments goes on shortly');
  const showing = repeat({ pauseMs: showMs, stopping, onError }, async () => {
    await upsertServer(db, serverId);
    return false;
  });
  const looking = repeat({ pauseMs: lookMs, stopping, onError }, async () => {
    for (const trial of await listUntried(db, serverId)) {
      if (stopping.aborted) return false;
      await tryAndReport(trying, trial);
    }
    return false;
  });
  await showing;
  // From here on no deployment waits for us.
  await deleteServers(db, serverId).catch(onError);
  await within(graceMs, looking).catch(() => undefined);
}

/** What may be otherwise in a moment is not reported, but tried again, for as long as the deployment waits. */
async function tryAndReport({ db, models, serverId, log }: Trying, trial: TrialRow): Promise<void> {
  try {
    const problem = await tryModels(db, models, trial);
    await insertTrialReport(db, trial, serverId, problem);
    log.info({ project_id: trial.project_id, problem }, 'a deployment was tried');
  } catch (error) {
    log.warn({ err: error, project_id: trial.project_id }, 'a deployment will be tried again');
  }
}
