import type { User } from '@tastegraph/algorithms';
import { limits } from '@tastegraph/contract';
import type { LoadedModel } from '../../models/loaded-model.ts';
import { searchMirror } from '../catalogue/item-mirrors.ts';
import { type LateView, placeIn } from '../catalogue/late-items.ts';
import { type Message, messageFields } from '../notes.ts';
import { placementOf, requireUser } from '../placement.ts';
import { loadRanker } from '../rules/rank.ts';
import { type Candidate, type CandidateSource, newItem } from '../search/candidates.ts';
import { findItems } from '../search/find-items.ts';
import type { FoundItem } from '../search/item-finder.ts';
import {
  type CandidateOptions,
  loadGenerator,
  type Question,
  readUser,
  type Searched,
  searchOf,
} from '../search/question-call.ts';
import { showItems } from './show-items.ts';

const explainedFew: Message = {
  code: 'REASONS_INCOMPLETE',
  text: `Only the best ${limits.recommendMax} items have reasons.`,
};

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
  const find = (mirror: Searched['mirror']) => findItems(searchOf(call, unranked, { ...searched, mirror }));
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
    ...messageFields(
      hasMore && shortfall ? { code: 'RANKING_INCOMPLETE', text: shortfall.text } : null,
      isCut ? explainedFew : null,
    ),
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
      candidate: newItem(itemId),
      attributes: records.get(itemId)?.attributes ?? {},
      length: 0,
      marks: undefined,
    }));
  return [known, unknown];
}

/** The listed items, those that the model can score first, best first; all in one batch. */
class ListedCandidates implements CandidateSource {
  readonly #batch: readonly Candidate[];
  hasEnded = false;

  constructor(
    { scorer, itemIds, itemNumbers }: LoadedModel,
    user: User,
    listed: ReadonlySet<string>,
    late: LateView | undefined,
  ) {
    const numbers = new Map<number, string>();
    for (const id of listed) {
      const number = itemNumbers.get(id) ?? lateNumber(late, id, itemIds.length);
      if (number !== undefined) numbers.set(number, id);
    }
    const ranked = new Set(numbers.values());
    const unknown = [...listed].filter((id) => !ranked.has(id));
    const known = scorer.recommend(user, {
      n: numbers.size,
      among: [...numbers.keys()],
      late: late?.scored,
      keepSeen: true,
      keepDisliked: true,
    });
    this.#batch = [
      ...known.map(({ item, score, isFilled }): Candidate => {
        const itemId = numbers.get(item) ?? '';
        if (item < itemIds.length) return { number: item, itemId, score, isFilled };
        return { number: undefined, itemId, score, isFilled, late: { number: item, items: late?.scored } };
      }),
      ...unknown.map(newItem),
    ];
  }

  next(): Candidate[] {
    this.hasEnded = true;
    return [...this.#batch];
  }
}

/** The number of an item that was added after the training; undefined if it is not scored. */
function lateNumber(late: LateView | undefined, id: string, items: number): number | undefined {
  if (!late?.scored) return undefined;
  const place = placeIn(late.ids, id);
  return late.ids[place] === id && place < late.scored.count ? items + place : undefined;
}
