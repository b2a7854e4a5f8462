import type { User } from '@tastegraph/algorithms';
import { limits } from '@tastegraph/contract';
import type { LoadedModel } from '../../models/loaded-model.ts';
import { searchMirror } from '../catalogue/item-mirrors.ts';
import { type LateView, placeIn } from '../catalogue/late-items.ts';
import { type Message, messageFields } from '../notes.ts';
import { placementOf, requireUser } from '../placement.ts';
import type { UserState } from '../rows/user-states.ts';
import { type ArrangedItems, arrangeItems } from '../rules/arrange.ts';
import { compileRules, refuseVectors } from '../rules/compile-rules.ts';
import { loadRanker } from '../rules/rank.ts';
import { type Candidate, type CandidateSource, type ItemPredicate, newItem } from '../search/candidates.ts';
import { findItems } from '../search/find-items.ts';
import type { FoundItem } from '../search/item-finder.ts';
import {
  type CandidateOptions,
  filterOf,
  loadGenerator,
  type Question,
  type QuestionCall,
  readUser,
  type Searched,
  searchOf,
} from '../search/question-call.ts';
import { showItems } from './show-items.ts';

const explainedFew: Message = {
  code: 'REASONS_INCOMPLETE',
  text: `Only the best ${limits.recommendMax} items have reasons.`,
};

/** The listed items that match, best first. The deployed ranker decides, if there is one. */
export const rankListedItems: Question<'rankItemsForUser'> = async (call, sent) => {
  const listed = new Set(sent.item_ids);
  const pins = sent.pins?.filter(({ item_id }) => listed.has(item_id)) ?? [];
  const placement = { ...placementOf({ ...sent, pins, exclude_seen: false }), limit: listed.size };
  requireUser(placement);
  const filter = filterOf(call, placement.filter_query);
  // In a list that is shorter than its position, a pinned item comes last.
  const rules = await compileRules(call, { ...placement, limit: limits.recommendMax });
  const state = await readUser(call, placement.user_id);
  if (!state) return undefined;
  const model = (await loadRanker(call, state)) ?? (await loadGenerator(call, state));
  refuseVectors(model, { attributes: [] }, filter, rules);
  const user = model.userOf(state, placement.context_items);
  // The ranker would make the search find more items than are listed: `model` alone orders them.
  const unranked = { ...state, ranker: null };
  const searched = {
    generator: model,
    user,
    openCandidates: ({ late }: CandidateOptions) => new ListedCandidates(model, user, listed, late),
    withNewItems: false,
    // The scores of pinned items are only known for an explanation.
    request: { ...placement, explain: true },
    filter,
    isExcluded: undefined,
  };
  const { page, shortfall, hasMore, message } = rules
    ? await arrangeItems(call, unranked, searched, rules, { context: placement.context_items, seed: '' })
    : await findListed(call, unranked, searched);
  const kept = rules ? page : page.filter(isKnown);
  const further = withoutRecords(page, kept, filter ? page.map(idOf) : listed);
  const ranked = [...kept, ...further];
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
    unknown_item_ids: ranked.filter((item) => !isKnown(item)).map(idOf),
    left_out: listed.size - ranked.length,
    degraded: call.degraded.map(({ part }) => part),
    ...messageFields(
      hasMore && shortfall ? { code: 'RANKING_INCOMPLETE', text: shortfall.text } : null,
      message,
      isCut ? explainedFew : null,
    ),
  };
};

async function findListed(call: QuestionCall, state: UserState, searched: Searched): Promise<ArrangedItems> {
  const find = (mirror: Searched['mirror']) => findItems(searchOf(call, state, { ...searched, mirror }));
  const { found, ...rest } = await call.clock.time('items', searchMirror(call, searched.generator, find));
  return { page: found, ...rest, message: null };
}

const idOf = ({ candidate }: Pick<FoundItem, 'candidate'>) => candidate.itemId;

/** Whether the model can score it. */
const isKnown = ({ candidate: { number, late, isFilled } }: Pick<FoundItem, 'candidate'>): boolean =>
  number !== undefined || (late !== undefined && !isFilled);

/** The items of `ids` that are not among those that were kept, with what was found of them. */
function withoutRecords(
  found: readonly FoundItem[],
  kept: readonly FoundItem[],
  ids: Iterable<string>,
): FoundItem[] {
  const keptIds = new Set(kept.map(idOf));
  const records = new Map(found.map((item) => [idOf(item), item]));
  return [...ids]
    .filter((id) => !keptIds.has(id))
    .map((itemId) => ({
      candidate: newItem(itemId),
      attributes: records.get(itemId)?.attributes ?? {},
      length: 0,
      marks: undefined,
    }));
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

  next(_size: number, isEligible?: ItemPredicate): Candidate[] {
    this.hasEnded = true;
    return this.#batch.filter(({ itemId, number }) => !isEligible || isEligible(itemId, number));
  }
}

/** The number of an item that was added after the training; undefined if it is not scored. */
function lateNumber(late: LateView | undefined, id: string, items: number): number | undefined {
  if (!late?.scored) return undefined;
  const place = placeIn(late.ids, id);
  return late.ids[place] === id && place < late.scored.count ? items + place : undefined;
}
