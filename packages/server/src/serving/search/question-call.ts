import type { Boost, User } from '@tastegraph/algorithms';
import type { Request, Response } from '@tastegraph/contract';
import { limits } from '@tastegraph/contract/limits';
import { both, type Filter } from '../../filters/compile-filter.ts';
import { ApiError, notFound } from '../../http/api-error.ts';
import { eventFields, type LoadedModel } from '../../models/loaded-model.ts';
import { type ModelCache, NoSpareMemoryError } from '../../models/model-cache.ts';
import type { DeployedModel } from '../../projects/rows/deployments.ts';
import type { Trends } from '../../trends/trends.ts';
import type { CallClock } from '../call-clock.ts';
import type { ItemMirrors } from '../catalogue/item-mirrors.ts';
import type { LateView } from '../catalogue/late-items.ts';
import type { TakenItems } from '../catalogue/taken-items.ts';
import type { Placed } from '../compiled-rules.ts';
import type { Degradation } from '../degradation.ts';
import type { AssignedVariant, QuestionName } from '../ports.ts';
import { findServedModel } from '../rows/served-projects.ts';
import {
  type KnownUser,
  maxHistoryEvents,
  type ServedDeployment,
  type ServedProject,
} from '../rows/serving-reads.ts';
import type { UserState } from '../rows/user-states.ts';
import type { Cursors } from '../state/cursors.ts';
import type { LiveReads } from '../state/live-reads.ts';
import type { CandidateSource } from './candidates.ts';
import type { FoundItem } from './item-finder.ts';
import type { Search } from './search-catalogue.ts';

export interface ServingContext {
  readonly reads: LiveReads;
  readonly models: ModelCache;
  readonly mirrors: ItemMirrors;
  readonly cursors: { get(): Promise<Cursors | undefined> };
  readonly trends: Pick<Trends, 'get'>;
  readonly takenItems: Pick<TakenItems, 'addTo'>;
  readonly compileFilter: (text: string, accountId: string) => Filter;
  /** Deadline of the whole call. */
  readonly deadlineMs: number;
  /** The last deployment read, by project ID: used while the database is unavailable. */
  readonly lastKnown: {
    get(projectId: string): ServedDeployment | undefined;
    set(projectId: string, deployed: ServedDeployment): void;
    delete(projectId: string): void;
  };
}

/** How a call was answered: what the decision log keeps besides the response. Steps fill it in. */
export interface CallTrace {
  generator?: DeployedModel;
  /** Only if it ordered the items. */
  ranker?: DeployedModel;
  page: readonly (FoundItem & Partial<Placed>)[];
  /** Absent if the call is not part of an experiment. */
  variant?: Pick<AssignedVariant, 'experiment_id' | 'name'>;
}

/** A call, as its question sees it. The functions below are the steps that questions share. */
export interface QuestionCall {
  readonly serving: ServingContext;
  /** The name of its operation. */
  readonly question: string;
  readonly project: ServedProject;
  readonly clock: CallClock;
  /** Throws if the call exceeds the deployment's limit. */
  readonly admit: (deployed: ServedDeployment) => Promise<void>;
  /** The variant of the call; undefined if it is not part of an experiment. Absent for answers that no user sees. */
  readonly assign?: (deployed: ServedDeployment) => Promise<AssignedVariant | undefined>;
  /** What could not be used so far. Steps add to it. */
  readonly degraded: Degradation[];
  readonly trace: CallTrace;
}

/** A ranker orders the best items of the generator: as many for every `limit`, so that a shorter list begins a longer one. */
export const rankedPool = 2 * limits.recommendMax;
/** Share of the remaining time for the user's state, so that enough is left to respond without it. */
const stateShare = 0.5;
/** For loading the model of a variant: afterwards, the deployed one still has time to answer. */
const variantShare = 0.5;

/** Read for calls without a user, so that they share statements with other calls. No user has it: IDs are not empty. */
const nobody = '';

/** Both conditions, if there are two. Throws an ApiError for a filter that does not compile. Undefined for no filter. */
export function filterOf(
  { serving, project }: QuestionCall,
  text: string | null,
  condition?: string,
): Filter | undefined {
  const filter = text === null ? undefined : serving.compileFilter(text, project.account_id);
  return condition === undefined
    ? filter
    : both(filter, serving.compileFilter(condition, project.account_id));
}

/** The model that the call names, which need not be deployed, or else the deployed one. */
export async function loadGenerator(
  { serving, clock, project, trace }: QuestionCall,
  { generator }: ServedDeployment,
  modelId?: string,
): Promise<LoadedModel> {
  if (modelId === undefined) return clock.within('model', serving.models.get(generator)).catch(notLoaded);
  const reads = serving.reads.forCall(project, clock.endMs);
  const model = await clock.within('model', findServedModel(reads.db, project, modelId));
  if (!model) throw notFound('Model', modelId);
  trace.generator = model;
  const isDeployed = model.object_key === generator.object_key;
  const { models } = serving;
  return clock.within('model', isDeployed ? models.get(model) : models.getSpare(model)).catch(notLoaded);
}

/** A source may leave the boost to the rules, and the late items to the search. */
export interface CandidateOptions {
  readonly boost?: Boost | undefined;
  readonly late?: LateView | undefined;
}

export interface Searched
  extends Pick<
    Search,
    | 'generator'
    | 'withNewItems'
    | 'request'
    | 'filter'
    | 'isExcluded'
    | 'isIncluded'
    | 'mark'
    | 'markedAttributes'
    | 'mirror'
  > {
  /** Whom explanations are for. */
  readonly user: User;
  readonly openCandidates: (options: CandidateOptions) => CandidateSource;
}

/** The search for the best items: as many as the response or the ranker needs. */
export function searchOf(
  { serving, project, clock, degraded }: QuestionCall,
  state: UserState,
  { openCandidates, ...searched }: Searched,
): Search {
  const reads = serving.reads.forCall(project, clock.endMs);
  const { limit } = searched.request;
  return {
    ...searched,
    candidates: openCandidates({ late: searched.mirror?.late }),
    db: reads.db,
    reads,
    mirrors: serving.mirrors,
    project,
    leftMs: clock.leftMs,
    targetCount: state.ranker ? Math.max(rankedPool, limit) : limit,
    history: historyOf(state, degraded),
    events: state.events,
  };
}

function historyOf({ events }: KnownUser, degraded: readonly Degradation[]): Search['history'] {
  if (degraded.some(({ part }) => part === 'history')) return 'unread';
  return events.length >= maxHistoryEvents * eventFields ? 'long' : 'whole';
}

/** Drops the user, so that one user's data is never cached for another. */
function deployedOf(state: ServedDeployment): ServedDeployment {
  const { generator, ranker, qps, experiment_id = null } = state;
  return { generator, ranker, qps, experiment_id };
}

const noRoom =
  'The serving process has no memory for this model beside the deployed ones. Deploy the model, or raise SERVING_MEMORY_MB.';

/** This process has not loaded the model yet, or the object store is unavailable. */
function notLoaded(cause: unknown): never {
  if (cause instanceof NoSpareMemoryError) throw new ApiError('UNAVAILABLE', noRoom, { cause });
  throw new ApiError('UNAVAILABLE', 'The deployed model is not loaded yet. Try again shortly.', {
    retryAfterSeconds: 1,
    cause,
  });
}

/** Undefined if nothing is deployed. Without the history, continues with popularity, and with attributes if they can be read. */
export async function readUser(call: QuestionCall, userId = nobody): Promise<UserState | undefined> {
  const { project, clock, admit, degraded, trace } = call;
  const { reads, lastKnown } = call.serving;
  const shareEndMs = () => performance.now() + clock.leftMs() * stateShare;
  let state: UserState | undefined;
  try {
    const read = reads.forCall(project, shareEndMs()).userState(userId);
    state = await clock.within('state', read, stateShare);
  } catch (error) {
    const known = lastKnown.get(project.project_id);
    if (!known) throw error;
    trace.generator = known.generator;
    degraded.push({ part: 'history', error });
    const read = reads.forCall(project, shareEndMs()).userAttributes(userId);
    const attributes = await clock.within('attributes', read, stateShare).catch(() => null);
    return useVariant(call, { ...known, attributes, events: [], negative_event_types: [] });
  }
  if (state) {
    trace.generator = state.generator;
    lastKnown.set(project.project_id, deployedOf(state));
    await clock.time('qps', admit(state));
    return useVariant(call, state);
  }
  lastKnown.delete(project.project_id);
  return undefined;
}

/**
 * With the models of the call's variant instead of the deployed ones. If they cannot be loaded in time, the deployed ones answer: the
 * call still counts for its variant, since leaving it out would make the comparison unfair.
 */
async function useVariant(
  { assign, serving, clock, degraded, trace }: QuestionCall,
  state: UserState,
): Promise<UserState> {
  const variant = await assign?.(state);
  if (!variant) return state;
  trace.variant = variant;
  const { generator, ranker } = variant;
  if (!generator) return state;
  try {
    await clock.within('variant', serving.models.get(generator), variantShare);
  } catch (error) {
    degraded.push({ part: 'variant', error });
    return state;
  }
  trace.generator = generator;
  return { ...state, generator, ranker };
}

/** Answers a call whose project is resolved and whose qps is checked. Undefined if nothing is deployed. */
export type Question<Name extends QuestionName> = (
  call: QuestionCall,
  request: Request<Name>,
) => Promise<Omit<Response<Name>, 'recommendation_id'> | undefined>;
