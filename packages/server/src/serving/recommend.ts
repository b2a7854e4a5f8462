import type { Response } from '@tastegraph/contract';
import { Fault } from '../domain/fault.ts';
import { within } from '../lib/within.ts';
import type { Database } from '../storage/postgres/pool.ts';
import {
  type Deployed,
  type DeployedModel,
  eventFields,
  type KnownUser,
  newestEvents,
  readUserAttributes,
  type ServedProject,
} from '../storage/postgres/serving-reads.ts';
import { answer, type Found, type RecommendRequest } from './answer.ts';
import type { Filter } from './filter/compile-filter.ts';
import { findItems, type Search } from './find-items.ts';
import type { LiveReads } from './live-reads.ts';
import type { ItemMirrors } from './mirror/item-mirrors.ts';
import type { ModelCache } from './model-cache.ts';
import { rank } from './rank.ts';

export interface Serving {
  readonly db: Database;
  readonly reads: LiveReads;
  readonly models: ModelCache;
  readonly mirrors: ItemMirrors;
  readonly compileFilter: (text: string) => Filter;
  /** For the whole call. */
  readonly deadlineMs: number;
  /** What was deployed when a project was last read; for when it cannot be. */
  readonly lastKnown: {
    get(projectKey: number): Deployed | undefined;
    set(projectKey: number, deployed: Deployed): void;
    delete(projectKey: number): void;
  };
  /** Counts what had to be done without. */
  readonly onDegraded: (what: string) => void;
}

/** A ranker judges so many times what is asked for: re-ordering just those would change little. */
const rankerPool = 5;
/** Of the time: for the user's state, so that enough is left to do without it; and for a ranker. */
const stateShare = 0.5;
const rankerShare = 0.5;

/** Candidates, filter, rank, answer. Undefined when nothing is deployed. */
export async function recommend(
  serving: Serving,
  project: ServedProject,
  request: RecommendRequest,
): Promise<Response<'recommendItemsToUser'> | undefined> {
  const end = performance.now() + serving.deadlineMs;
  const leftMs = () => end - performance.now();
  const filter = request.filter_query === null ? undefined : serving.compileFilter(request.filter_query);
  const degraded: string[] = [];

  const state = await readState(serving, project, request.user_id, degraded, leftMs);
  if (!state) return undefined;
  const generator = await within(leftMs(), serving.models.get(state.generator)).catch(notLoaded);
  const user = generator.userOf(state);
  const { found, shortfall } = await findItems({
    ...{
      db: serving.db,
      reads: serving.reads,
      mirrors: serving.mirrors,
      project,
      generator,
      user,
      request,
      filter,
      leftMs,
    },
    wanted: state.ranker ? request.limit * rankerPool : request.limit,
    history: historyOf(state, degraded),
  });
  const ranked = state.ranker
    ? await rankFound(serving, state, state.ranker, found, degraded, leftMs)
    : found;
  for (const what of degraded) serving.onDegraded(what);
  return answer({ request, generator, user, found: ranked.slice(0, request.limit), shortfall, degraded });
}

function historyOf({ events }: KnownUser, degraded: readonly string[]): Search['history'] {
  if (degraded.includes('history')) return 'unread';
  return events.length >= newestEvents * eventFields ? 'long' : 'whole';
}

/** Without the user, who is nobody else's. */
const deployedOf = ({ generator, ranker, qps }: Deployed): Deployed => ({ generator, ranker, qps });

/** The first call of a project that this process has not served for long, or a store that is away. */
function notLoaded(cause: unknown): never {
  throw new Fault('UNAVAILABLE', 'The deployed model is not loaded yet. Try again shortly.', {
    ...{ retryAfterSeconds: 1, cause },
  });
}

/** A history that cannot be read is done without: from attributes if they can be, and popularity. */
async function readState(
  serving: Serving,
  project: ServedProject,
  userId: string,
  degraded: string[],
  leftMs: () => number,
): Promise<(Deployed & KnownUser) | undefined> {
  try {
    const state = await within(leftMs() * stateShare, serving.reads.userState(project, userId));
    if (state) serving.lastKnown.set(project.project_key, deployedOf(state));
    else serving.lastKnown.delete(project.project_key);
    return state;
  } catch (error) {
    const known = serving.lastKnown.get(project.project_key);
    if (!known) throw error;
    degraded.push('history');
    const attributes = await within(
      leftMs() * stateShare,
      readUserAttributes(serving.db, project, userId),
    ).catch(() => null);
    return { ...known, attributes, events: [] };
  }
}

async function rankFound(
  serving: Serving,
  state: KnownUser,
  model: DeployedModel,
  found: Found[],
  degraded: string[],
  leftMs: () => number,
): Promise<Found[]> {
  try {
    const ranker = await within(leftMs() * rankerShare, serving.models.get(model));
    return rank(ranker, ranker.userOf(state), found, ({ candidate }) => candidate.itemId);
  } catch {
    degraded.push('ranker');
    return found;
  }
}
