import { limits } from '@tastegraph/contract';
import { explainUnfit, type ModelRole } from '../domain/deployment/explain-unfit.ts';
import { within } from '../lib/within.ts';
import type { Database } from '../storage/postgres/pool.ts';
import { listSampleUsers } from '../storage/postgres/sample-users.ts';
import { findServedProject } from '../storage/postgres/served-projects.ts';
import type { DeployedModel, KnownUser, ServedProject } from '../storage/postgres/serving-reads.ts';
import type { TrialRow } from '../storage/postgres/trials.ts';
import { findItems } from './find-items.ts';
import { createLiveReads } from './live-reads.ts';
import type { ModelCache } from './model-cache.ts';
import { rank } from './rank.ts';
import type { Snapshot } from './snapshot.ts';

/** Enough to meet what users have in common; a second of work at most. */
const sampleUsers = 20;
/** A deployment waits no longer for its trial: what takes longer is in memory when it is tried again. */
const loadMs = 60_000;
/** For the calls of all sample users together. */
const callsMs = 20_000;

/** What is asked for each: as most calls do, and with what was seen, for a user may have seen everything. */
const request = {
  user_id: '',
  attributes: [],
  limit: limits.recommendDefault,
  filter_query: null,
  exclude_seen: false,
  explain: false,
};

const nothingToRecommend =
  "The models recommend nothing: only items that have a record are recommended, and none has. Upsert the project's items, then deploy again.";

const stranger: KnownUser = { attributes: null, events: [] };

/** What keeps the models from being served, in words for the developer; it is no use to try again. */
class Unfit extends Error {}

/**
 * Loads the models, so that they are in memory when they are switched to, and asks them as calls will: for some users of the
 * project, and for one of whom nothing is known. Null when all is well; throws what may be otherwise when tried again.
 */
export async function tryModels(db: Database, models: ModelCache, trial: TrialRow): Promise<string | null> {
  try {
    const generator = await load(models, 'generator', trial.generator);
    const ranker = trial.ranker && (await load(models, 'ranker', trial.ranker));
    const project = await findServedProject(db, trial.account_id, trial.project_id);
    if (!project) throw new Unfit('The project was deleted.');
    await ask(db, project, generator, ranker);
    return null;
  } catch (error) {
    if (error instanceof Unfit) return error.message;
    throw error;
  }
}

async function load(models: ModelCache, role: ModelRole, model: DeployedModel): Promise<Snapshot> {
  try {
    return await within(loadMs, models.get(model));
  } catch (error) {
    const reason = error instanceof RangeError ? tooLarge(role, model) : explainUnfit(role, error);
    throw reason === undefined ? error : new Unfit(reason, { cause: error });
  }
}

/** A file that is sound throws a RangeError for one reason: there is no room for its arrays. */
function tooLarge(role: ModelRole, { size }: DeployedModel): string {
  const megabytes = Math.ceil(size / 1e6);
  return `The ${role} model does not fit into the memory of a serving process: its file alone has ${megabytes} MB. Train with fewer "neighbors", or give the serving processes more memory.`;
}

async function ask(
  db: Database,
  project: ServedProject,
  generator: Snapshot,
  ranker: Snapshot | null,
): Promise<void> {
  const users = [stranger, ...(await listSampleUsers(db, project, sampleUsers))];
  const reads = createLiveReads(db);
  const end = performance.now() + callsMs;
  for (const known of users) {
    const { found } = await findItems({
      ...{ db, reads, project, generator, request, filter: undefined, history: 'whole' as const },
      user: generator.userOf(known),
      wanted: request.limit,
      leftMs: () => end - performance.now(),
    });
    if (performance.now() > end) throw new Error(`asking for ${users.length} users took too long`);
    if (found.length === 0) throw new Unfit(nothingToRecommend);
    if (ranker) rank(ranker, ranker.userOf(known), found, ({ candidate }) => candidate.itemId);
  }
}
