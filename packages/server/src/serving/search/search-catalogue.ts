import type { Filter } from '../../filters/compile-filter.ts';
import { orderTexts } from '../../filters/value.ts';
import { Heap } from '../../kernel/lib/heap.ts';
import { slices } from '../../kernel/lib/slices.ts';
import { within } from '../../kernel/lib/within.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { CallBudget } from '../call-budget.ts';
import type { MatchingItems, MirrorView } from '../catalogue/item-mirror.ts';
import type { ItemMirrors } from '../catalogue/item-mirrors.ts';
import type { Rules } from '../compiled-rules.ts';
import type { ItemRecords } from '../item-record.ts';
import type { Placement } from '../placement.ts';
import { type ItemFields, readItemsAfter } from '../rows/item-reads.ts';
import type { KnownUser, ServedProject } from '../rows/serving-reads.ts';
import type { IsExcluded } from '../state/exclusions.ts';
import type { CallReads } from '../state/live-reads.ts';
import {
  type Candidate,
  type CandidateSource,
  type ItemPredicate,
  initialBatchSize,
  newItem,
  nextBatchSize,
} from './candidates.ts';
import { pageSize, readRecords } from './read-records.ts';

/** The fields of the request that every search needs. */
type ItemsRequest = Pick<
  Placement,
  'user_id' | 'attributes' | 'limit' | 'explain' | 'exclude_seen' | 'exclude_event_types'
>;

export interface Search {
  readonly db: Queryable;
  readonly reads: Pick<CallReads, 'items'>;
  readonly project: ServedProject;
  readonly generator: LoadedModel;
  readonly candidates: CandidateSource;
  /** Whether items that were added after training follow the candidates. */
  readonly withNewItems: boolean;
  readonly request: ItemsRequest;
  readonly isExcluded: IsExcluded;
  /** Which items to search, by their number in the model; undefined: all. */
  readonly isIncluded?: ((number: number | undefined) => boolean) | undefined;
  readonly filter: Filter | undefined;
  /** The attributes that `mark` reads; undefined if it may read any. */
  readonly markedAttributes?: readonly string[] | undefined;
  /** What the rules of the call say about an item. */
  readonly mark?: Rules['mark'];
  /** Once loaded, they know which items match; until then, the search reads the catalogue. */
  readonly mirrors?: ItemMirrors;
  /** Synced since the call began: records come from it instead of the database. */
  readonly mirror?: MirrorView | undefined;
  /** How many items to find. */
  readonly targetCount: number;
  /** Unless `whole`, seen items must be looked up: the user has more events than were read, or none could be read. */
  readonly history: 'whole' | 'long' | 'unread';
  /** The user's events that were read. */
  readonly events: KnownUser['events'];
  /** Remaining milliseconds of the call. */
  readonly leftMs: () => number;
}

/** Items to examine, best first, and the records of those that have one. */
export interface Batch {
  readonly candidates: readonly Candidate[];
  readonly records: ItemRecords;
}

/** Steps for looking up whether a late item is eligible. */
const lateSteps = 10;

/** Steps for a batch that looked at as many items as it may without finding enough. */
const vainSteps = 250_000;

/** Share of the remaining time and steps for finding out which items match. */
const matchingShare = 0.5;

/**
 * Goes through the whole catalogue, each item once, and only matching ones once a mirror knows them. A mirror that is not
 * loaded is requested (and so loaded) only if the best items do not suffice: most filters need none.
 */
export async function* searchCatalogue(search: Search, budget: CallBudget): AsyncGenerator<Batch, void> {
  const { generator, candidates, filter, mirrors, mirror, project, targetCount } = search;
  let matching: MatchingItems | undefined;
  let skipsMirror = !filter || !mirrors;
  const findMatching = async () => {
    if (skipsMirror || matching || !filter || !mirrors) return;
    const share = budget.share(matchingShare);
    matching = mirror
      ? await mirror.match(filter, share)
      : await mirrors.match(project, filter, share, generator);
    // Matching takes longer than this call has; the next call continues it.
    skipsMirror = !matching && share.exhausted !== undefined;
  };
  if (mirror || mirrors?.isReady(project)) await findMatching();

  let size = initialBatchSize(targetCount, filter !== undefined && !matching);
  for (let { hasEnded } = candidates; !hasEnded; { hasEnded } = candidates) {
    const batch = candidates.next(size, eligible(search, matching));
    yield* withRecords(search, budget, batch);
    if (batch.length < size && !candidates.hasEnded) {
      budget.spend(vainSteps);
      // The caller checks that.
      if (budget.exhausted) return;
      await slices.start(budget.tenant).next();
    }
    const before = matching;
    await findMatching();
    size = matching === before ? nextBatchSize(size) : initialBatchSize(targetCount, false);
  }

  if (!search.withNewItems) return;
  if (mirror) return yield* lateItems(search, budget, mirror.late.ids, matching);
  let afterId = '';
  for (let size = pageSize; !matching; ) {
    const asked = { afterId, size, requestedFields: fieldsOf(search) };
    const page = await within(search.leftMs(), readItemsAfter(search.db, project.items, asked));
    const items = page.items.filter(([id]) => isNewItem(search, id));
    budget.spendRead(page.items.reduce((sum, [, item]) => sum + item.length, 0));
    yield { candidates: items.map(([id]) => newItem(id)), records: new Map(items) };
    if (page.isLast) return;
    afterId = page.items.at(-1)?.[0] ?? afterId;
    size = Math.min(pageSize, 2 * page.items.length);
    await findMatching();
  }
  yield* matchingNewItems(search, budget, matching, afterId);
}

function eligible(
  { isExcluded, isIncluded }: Pick<Search, 'isExcluded' | 'isIncluded'>,
  matching: MatchingItems | undefined,
): ItemPredicate {
  if (!matching && !isIncluded) return isExcluded && ((id) => !isExcluded(id));
  const matches = (id: string, number: number | undefined) =>
    !matching || (number === undefined ? matching.has(id) : matching.hasNumber(number));
  // Cheapest first.
  return (id, number) => isIncluded?.(number) !== false && matches(id, number) && !isExcluded?.(id);
}

/** Whether the item was added after training, and may be returned. */
const isNewItem = ({ generator, candidates, isExcluded }: Search, id: string) =>
  !generator.itemNumbers.has(id) && !candidates.includes?.(id) && !isExcluded?.(id);

/** Matching items that were added after training, in ID order. */
async function* matchingNewItems(
  search: Search,
  budget: CallBudget,
  matching: MatchingItems,
  afterId: string,
): AsyncGenerator<Batch, void> {
  const isNew = (id: string) => orderTexts(id, afterId) > 0 && isNewItem(search, id);
  const sorted = await sortLazily(matching.ids(), isNew, budget);
  // The budget is exhausted; the caller checks that.
  if (!sorted) return;
  for (let ids = sorted.take(pageSize); ids.length > 0; ids = sorted.take(pageSize))
    yield* withRecords(search, budget, ids.map(newItem));
}

/** Steps for looking up an ID, or comparing two. */
const idSteps = 5;

/**
 * The included IDs in PostgreSQL's order, a few at a time. There may be a whole catalogue of them, of which only the
 * first few are needed: a heap sorts no more than that. Undefined if the budget runs out first.
 */
export async function sortLazily(
  ids: Iterable<string>,
  isIncluded: (id: string) => boolean,
  budget: CallBudget,
): Promise<{ take(count: number): string[] } | undefined> {
  const heap = new Heap<string>(orderTexts);
  const iterator = ids[Symbol.iterator]();
  const isCollected = await budget.forEach(() => {
    const next = iterator.next();
    if (next.done) return false;
    budget.spend(2 * idSteps);
    if (!isIncluded(next.value)) return true;
    budget.spend(2 * idSteps);
    heap.push(next.value);
    return true;
  });
  if (!isCollected) return undefined;
  return {
    take: (count) => {
      const taken: string[] = [];
      for (let id = heap.peek(); id !== undefined && taken.length < count; id = heap.peek()) {
        taken.push(id);
        heap.pop();
      }
      return taken;
    },
  };
}

/** Items that were added after training and that the candidates do not include, in ID order. */
async function* lateItems(
  search: Search,
  budget: CallBudget,
  ids: readonly string[],
  matching: MatchingItems | undefined,
): AsyncGenerator<Batch, void> {
  const isEligible = eligible(search, matching);
  for (let place = search.candidates.lateCount ?? 0; place < ids.length; ) {
    const batch: Candidate[] = [];
    const isDone = await budget.forEach(() => {
      const id = ids[place];
      if (id === undefined || batch.length === pageSize) return false;
      budget.spend(lateSteps);
      if (!search.candidates.includes?.(id) && isEligible?.(id, undefined) !== false) batch.push(newItem(id));
      place++;
      return true;
    });
    // The budget is exhausted; the caller checks that.
    if (!isDone) return;
    yield* withRecords(search, budget, batch);
  }
}

/** The attributes that the response, the filter and the rules need. */
export function fieldsOf(
  search: Pick<Search, 'request' | 'filter' | 'mark' | 'markedAttributes'>,
): ItemFields {
  const { request, filter, mark, markedAttributes } = search;
  if ((filter && !filter.attributes) || (mark && !markedAttributes)) return 'all';
  const requested = request.attributes.filter((name) => name !== 'item_id');
  return [...new Set([...requested, ...(filter?.attributes ?? []), ...(markedAttributes ?? [])])];
}

/** Reads the candidates' records, in one batch if they fit into a statement's bytes. */
async function* withRecords(
  search: Search,
  budget: CallBudget,
  candidates: readonly Candidate[],
): AsyncGenerator<Batch, void> {
  const { reads, mirror, leftMs } = search;
  if (mirror) {
    if (candidates.length > 0) yield { candidates, records: mirror };
    return;
  }
  const ids = candidates.map(({ itemId }) => itemId);
  for await (const { from, to, records } of readRecords({ reads, leftMs }, ids, fieldsOf(search))) {
    const read = candidates.slice(from, to);
    for (const { itemId } of read) budget.spendRead(records.get(itemId)?.length ?? 0);
    yield { candidates: read, records };
  }
}
