import { within } from '../../kernel/lib/within.ts';
import type { Database } from '../../kernel/postgres/pool.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { ModelCache } from '../../models/model-cache.ts';
import type { DeployedModel } from '../../projects/rows/deployments.ts';
import { placementOf } from '../../serving/placement.ts';
import { findServedProject } from '../../serving/rows/served-projects.ts';
import type { KnownUser, ServedProject } from '../../serving/rows/serving-reads.ts';
import { rank } from '../../serving/rules/rank.ts';
import { Candidates } from '../../serving/search/candidates.ts';
import { findItems } from '../../serving/search/find-items.ts';
import { createLiveReads } from '../../serving/state/live-reads.ts';
import { explainUnfit, type ModelRole } from '../explain-unfit.ts';
import { listSampleUsers, type TrialRow } from '../rows/trials.ts';

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

/**
 * Loads the models, so that they are in memory when they go live, and makes test calls: for some users of the project
 * and one unknown user. Returns null on success, or what is wrong with the models; throws transient errors.
 */
export async function tryModels(db: Database, models: ModelCache, trial: TrialRow): Promise<string | null> {
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
  const users = [unknownUser, ...(await listSampleUsers(db, project, sampleUsers))];
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
