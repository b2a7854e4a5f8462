import type { User } from '@tastegraph/algorithms';
import type { Response } from '@tastegraph/contract';
import { limits } from '@tastegraph/contract/limits';
import { ApiError } from '../../http/api-error.ts';
import { hashText } from '../../kernel/lib/hashes.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import { searchMirror } from '../catalogue/item-mirrors.ts';
import { type Message, messageFields } from '../notes.ts';
import { listOf, type Placement } from '../placement.ts';
import type { UserState } from '../rows/user-states.ts';
import { type ArrangedItems, arrangeItems } from '../rules/arrange.ts';
import { compileRules, refuseVectors } from '../rules/compile-rules.ts';
import { rankItems } from '../rules/rank.ts';
import { type CandidateSource, Candidates } from '../search/candidates.ts';
import { findItems } from '../search/find-items.ts';
import {
  type CandidateOptions,
  filterOf,
  loadGenerator,
  type QuestionCall,
  readUser,
  type Searched,
  searchOf,
} from '../search/question-call.ts';
import type { Cursors } from '../state/cursors.ts';
import { exclusionsOf } from '../state/exclusions.ts';
import { showItems } from './show-items.ts';

/** The fields of a response that all lists share. */
type PlacementAnswer = Omit<Response<'recommendItemsToUser'>, 'user_id' | 'recommendation_id'>;

const limitLowered: Message = {
  code: 'LIMIT_LOWERED',
  text: `limit was lowered to ${limits.recommendMax}, the maximum number of items per response.`,
};

/** What one question adds to the pipeline that all lists share. */
interface Plan {
  /** The fields of the request that are not in the placement: a cursor is bound to them too. */
  readonly list?: unknown;
  /** Items to leave out, besides those that the placement excludes. */
  readonly leftOut?: readonly string[];
  /** A CEL condition that items must satisfy, besides that of the placement. */
  readonly condition?: string | undefined;
  /** False if a deployed ranker, which knows only the user, must not change the order. */
  readonly isRanked?: boolean;
  /** By default, the items that the generator recommends to the user. */
  readonly prepare?: (context: PlanContext) => Planned | Promise<Planned>;
}

interface PlanContext {
  readonly state: UserState;
  readonly generator: LoadedModel;
  readonly user: User;
  /** The items that the generator recommends to a user. */
  readonly recommendTo: (user: User, options: CandidateOptions) => CandidateSource;
}

interface Planned {
  /** The user as the candidates were scored, whom explanations are for. */
  readonly user: User;
  /** The IDs of `user.lateAnchors`. */
  readonly lateAnchorIds?: readonly string[];
  /** Each call starts with the best item. */
  readonly openCandidates: Searched['openCandidates'];
  /** How the response differs from what was requested. */
  readonly message: Message | null;
}

export const recommendToUser = ({ user, recommendTo }: PlanContext): Planned => ({
  user,
  openCandidates: (options) => recommendTo(user, options),
  message: null,
});

/**
 * Answers a question with a list: candidates, score, exclude, order, rules, page, show. Undefined if nothing is deployed. The
 * same request, data and model give the same answer, byte for byte, once the background reads of trends and of late items are done.
 */
export async function answerPlacement(
  call: QuestionCall,
  placement: Placement,
  { list = null, leftOut = [], condition, isRanked = true, prepare = recommendToUser }: Plan = {},
): Promise<PlacementAnswer | undefined> {
  const { context_items, exclude_seen, exclude_event_types } = placement;
  const filter = filterOf(call, placement.filter_query, condition);
  const rules = await compileRules(call, placement);
  const pages = await openPages(call, placement, list);
  const read = await readUser(call, placement.user_id);
  if (!read) return undefined;
  // A model that the call names recommends alone.
  const state = isRanked && placement.model_id === undefined ? read : { ...read, ranker: null };
  const generator = await loadGenerator(call, state, placement.model_id);
  refuseVectors(generator, placement, filter, rules);
  // The model excludes items with a target event; `exclusionsOf` has those with events of other types.
  const keepSeen = !exclude_seen || exclude_event_types !== undefined;
  const planned = await prepare({
    state,
    generator,
    user: generator.userOf(state, context_items),
    recommendTo: (whom, options) => new Candidates(generator, whom, { keepSeen, ...options }),
  });
  const { user } = planned;
  const searched = {
    generator,
    user,
    openCandidates: planned.openCandidates,
    withNewItems: true,
    request: placement,
    filter,
    isExcluded: exclusionsOf(placement, state, { shown: pages.shown, leftOut }),
  };
  const { page, shortfall, hasMore, message } = rules
    ? await arrangeItems(call, state, searched, rules, {
        context: context_items,
        seed: seedOf(call, placement, pages.shown.size),
      })
    : await orderItems(call, state, searched, context_items);
  call.trace.page = page;
  const cursor = hasMore ? pages.cursorAfter(page) : undefined;
  const lowered = placement.requestedLimit > limits.recommendMax ? limitLowered : null;
  return {
    limit: placement.requestedLimit,
    attributes: [...placement.attributes],
    filter_query: placement.filter_query,
    results: await showItems(call.project.account_id, placement, { generator, ...planned }, page),
    ...(cursor !== undefined && { cursor }),
    shortfall: shortfall?.text ?? null,
    shortfall_code: shortfall?.code ?? null,
    degraded: call.degraded.map(({ part }) => part),
    ...messageFields(lowered, planned.message, message),
  };
}

/** For the draws of new items: the same for one day, because a list must not be reordered when its page is loaded again. */
function seedOf({ project }: QuestionCall, { user_id, context_items }: Placement, shown: number): string {
  const day = new Date().toISOString().slice(0, 10);
  return JSON.stringify([project.project_id, user_id ?? context_items, day, shown]);
}

/** A page without rules: the best items. */
async function orderItems(
  call: QuestionCall,
  state: UserState,
  searched: Searched,
  context: readonly string[],
): Promise<ArrangedItems> {
  const find = (mirror: Searched['mirror']) => findItems(searchOf(call, state, { ...searched, mirror }));
  // Without a mirror, nobody knows which items were added after training.
  const isScored = searched.generator.featuresOf !== undefined;
  const { found, shortfall, hasMore } = await call.clock.time(
    'items',
    isScored ? searchMirror(call, searched.generator, find) : find(undefined),
  );
  const ranked = await rankItems(call, state, found, context);
  return { page: ranked.slice(0, searched.request.limit), shortfall, hasMore, message: null };
}

interface Pages {
  /** Hashes of the items on earlier pages. */
  readonly shown: ReadonlySet<number>;
  cursorAfter(page: ArrangedItems['page']): string | undefined;
}

/** Throws an ApiError for a cursor of another list, and while cursors cannot be checked. */
async function openPages(
  { serving, project, question }: QuestionCall,
  placement: Placement,
  asked: unknown,
): Promise<Pages> {
  const cursors = await serving.cursors.get();
  const { account_id, project_id } = project;
  const list = JSON.stringify([account_id, project_id, question, listOf(placement), asked]);
  const shown =
    placement.cursor === undefined ? new Set<number>() : openCursor(cursors, list, placement.cursor);
  return {
    shown,
    cursorAfter: (page) =>
      cursors?.seal(list, [...shown, ...page.map(({ candidate }) => hashText(candidate.itemId))]),
  };
}

function openCursor(cursors: Cursors | undefined, list: string, cursor: string): Set<number> {
  if (cursors) return cursors.open(list, cursor);
  const message = 'Further pages are not available until the database accepts writes. Try again shortly.';
  throw new ApiError('UNAVAILABLE', message, { retryAfterSeconds: 1 });
}
