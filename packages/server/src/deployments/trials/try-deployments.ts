import { repeat } from '../../kernel/lib/repeat.ts';
import { within } from '../../kernel/lib/within.ts';
import type { Log } from '../../kernel/observability/log.ts';
import type { Database } from '../../kernel/postgres/pool.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { ModelCache } from '../../models/model-cache.ts';
import type { DeployedModel } from '../../projects/rows/deployments.ts';
import { placementOf } from '../../serving/placement.ts';
import { findServedProject } from '../../serving/rows/served-projects.ts';
import { type KnownUser, readKnownUsers, type ServedProject } from '../../serving/rows/serving-reads.ts';
import { listActiveUsers } from '../../serving/rows/user-states.ts';
import { rank } from '../../serving/rules/rank.ts';
import { Candidates } from '../../serving/search/candidates.ts';
import { findItems } from '../../serving/search/find-items.ts';
import { createLiveReads } from '../../serving/state/live-reads.ts';
import { explainUnfit, type ModelRole } from '../explain-unfit.ts';
import { deleteServers, insertTrialReport, listPendingTrials, type TrialRow, upsertServer } from '../rows.ts';

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
/** Longer than a deployment waits. A trial that takes longer is abandoned, and retried while the deployment is in progress. */
const trialMs = 90_000;
/** Models that are still loading at shutdown are useless: do not wait for them. */
const graceMs = 1000;

/** Until `stopping`: heartbeats, and trials of deployments. Two loops, since a load takes longer than a heartbeat may be late. */
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

/** Enough to cover what users have in common; at most a second of work. */
const sampleUsers = 20;
/** Time limit for loading one model. If it takes longer, loading continues, and the next attempt finds it in memory. */
const loadMs = 60_000;
/** Time limit for the calls of all sample users together. */
const callsMs = 20_000;

/** The test call: like most calls, but including seen items, since a user may have seen everything. */
const request = placementOf({ exclude_seen: false });

const nothingToRecommend =
  "The models recommend nothing: none of their items has a record, and only items with a record are recommended. Upsert the project's items, then deploy again.";

const unknownUser: KnownUser = { attributes: null, events: [], negative_event_types: [] };

/** Why the models cannot be served, for the developer. A retry does not help. */
class UnfitError extends Error {}

/** Loads the models, which then stay in memory, and makes test calls. Returns what is wrong, or null; throws transient errors. */
async function tryModels(db: Database, models: ModelCache, trial: TrialRow): Promise<string | null> {
  try {
    const generator = await load(models, 'generator', trial.generator);
    const ranker = trial.ranker && (await load(models, 'ranker', trial.ranker));
    const project = await findServedProject(db, trial.account_id, trial.project_id);
    if (!project) throw new UnfitError('The project was deleted.');
    await makeTestCalls(db, project, generator, ranker);
    return null;
  } catch (error) {
    if (error instanceof UnfitError) return error.message;
    throw error;
  }
}

async function load(models: ModelCache, role: ModelRole, model: DeployedModel): Promise<LoadedModel> {
  try {
    return await within(loadMs, models.get(model));
  } catch (error) {
    const reason = error instanceof RangeError ? tooLarge(role, model) : explainUnfit(role, error);
    throw reason === undefined ? error : new UnfitError(reason, { cause: error });
  }
}

/** A valid file throws a RangeError for one reason only: there is no memory for its arrays. */
function tooLarge(role: ModelRole, { size }: DeployedModel): string {
  const megabytes = Math.ceil(size / 1e6);
  return `The ${role} model does not fit into the memory of a serving process: its file alone has ${megabytes} MB. Train with fewer "neighbors", or give the serving processes more memory.`;
}

async function makeTestCalls(
  db: Database,
  project: ServedProject,
  generator: LoadedModel,
  ranker: LoadedModel | null,
): Promise<void> {
  const sample = await listActiveUsers(db, project.events, '', sampleUsers);
  const users = [unknownUser, ...(await readKnownUsers(db, project, sample))];
  const end = performance.now() + callsMs;
  const reads = createLiveReads(db, 1).forCall(project, end);
  for (const known of users) {
    const { found } = await findItems({
      db: reads.db,
      reads,
      project,
      generator,
      request,
      filter: undefined,
      isExcluded: undefined,
      history: 'whole',
      events: known.events,
      candidates: new Candidates(generator, generator.userOf(known), { keepSeen: true }),
      withNewItems: true,
      targetCount: request.limit,
      leftMs: () => end - performance.now(),
    });
    if (performance.now() > end) throw new Error(`the test calls for ${users.length} users took too long`);
    if (found.length === 0) throw new UnfitError(nothingToRecommend);
    if (ranker) rank(ranker, ranker.userOf(known), found, ({ candidate }) => candidate.itemId);
  }
}
