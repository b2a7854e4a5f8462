import { limits } from '@tastegraph/contract';
import {
  type CandidateOptions,
  loadGenerator,
  loadRanker,
  readUser,
  type Searched,
  searchOf,
} from '../call/question-call.ts';
import { showItems } from '../call/show-items.ts';
import { placementOf, requireUser } from '../placement.ts';
import { findItems } from '../search/find-items.ts';
import type { FoundItem } from '../search/item-finder.ts';
import { searchMirror } from '../search/search-mirror.ts';
import { ListedCandidates } from './listed-candidates.ts';
import type { Question } from './question.ts';

const explainedFew = `Only the best ${limits.recommendMax} items have reasons.`;

/** All listed items, best first. The deployed ranker decides, if there is one. */
export const rankListedItems: Question<'rankItemsForUser'> = async (call, sent) => {
  const listed = new Set(sent.item_ids);
  const placement = { ...placementOf({ ...sent, exclude_seen: false }), limit: listed.size };
  requireUser(placement);
  const state = await readUser(call, placement.user_id);
  if (!state) return undefined;
  const model = (await loadRanker(call, state)) ?? (await loadGenerator(call, state));
  const user = model.userOf(state, placement.context_items);
  // The ranker would make the search find more items than are listed: `model` alone orders them.
  const unranked = { ...state, ranker: null };
  const searched = {
    generator: model,
    user,
    openCandidates: ({ late }: CandidateOptions) => new ListedCandidates(model, user, listed, late),
    withNewItems: false,
    request: placement,
    filter: undefined,
    isExcluded: undefined,
  };
  const find = async (mirror: Searched['mirror']) => {
    return findItems(searchOf(call, unranked, { ...searched, mirror }));
  };
  const { found, shortfall, hasMore } = await call.clock.time('items', searchMirror(call, model, find));
  const [known, unknown] = partition(found, listed);
  const ranked = [...known, ...unknown];
  call.trace.page = ranked;
  const show = (explain: boolean, items: readonly FoundItem[]) =>
    showItems(
      call.project.account_id,
      { attributes: placement.attributes, explain, withScores: true },
      { generator: model, user },
      items,
    );
  const explained = placement.explain ? limits.recommendMax : 0;
  const isCut = placement.explain && ranked.length > explained;
  return {
    user_id: placement.user_id ?? null,
    attributes: [...placement.attributes],
    results: [
      ...(await show(true, ranked.slice(0, explained))),
      ...(await show(false, ranked.slice(explained))),
    ],
    unknown_item_ids: unknown.map(({ candidate }) => candidate.itemId),
    degraded: call.degraded.map(({ part }) => part),
    message:
      [hasMore ? shortfall : null, isCut ? explainedFew : null].filter((part) => part !== null).join(' ') ||
      null,
  };
};

/** The items that the model can score and that have a record, and the others in the order of the request. */
function partition(found: readonly FoundItem[], listed: ReadonlySet<string>): [FoundItem[], FoundItem[]] {
  const known = found.filter(
    ({ candidate: { number, late, isFilled } }) => number !== undefined || (late && !isFilled),
  );
  const ranked = new Set(known.map(({ candidate }) => candidate.itemId));
  const records = new Map(found.map((item) => [item.candidate.itemId, item]));
  const unknown = [...listed]
    .filter((id) => !ranked.has(id))
    .map((itemId) => ({
      candidate: { number: undefined, itemId, score: 0, isFilled: true },
      attributes: records.get(itemId)?.attributes ?? {},
      length: 0,
      marks: undefined,
    }));
  return [known, unknown];
}
