import type { User } from '@tastegraph/algorithms';
import { Overdue, within } from '../lib/within.ts';
import type { Database } from '../storage/postgres/pool.ts';
import { readItemsAfter, readSeen, type ServedProject } from '../storage/postgres/serving-reads.ts';
import type { Found, RecommendRequest } from './answer.ts';
import { type Candidate, firstLook, lookForCandidates } from './candidates.ts';
import type { Filter } from './filter/compile-filter.ts';
import { orderTexts } from './filter/value.ts';
import type { LiveReads } from './live-reads.ts';
import type { Matching } from './mirror/item-mirror.ts';
import type { ItemMirrors } from './mirror/item-mirrors.ts';
import type { Snapshot } from './snapshot.ts';

export interface Search {
  readonly db: Database;
  readonly reads: LiveReads;
  readonly project: ServedProject;
  readonly generator: Snapshot;
  readonly user: User;
  readonly request: RecommendRequest;
  readonly filter: Filter | undefined;
  /** Say which items match, once they are loaded; without them the catalogue is read. */
  readonly mirrors?: ItemMirrors;
  /** How many are wanted. */
  readonly wanted: number;
  /** Of a user who had more events than were read, or whose could not be read, what was seen must be asked for. */
  readonly history: 'whole' | 'long' | 'unread';
  /** Milliseconds that are left. */
  readonly leftMs: () => number;
}

/** Items to be judged, best first, and the records of those that have one. */
interface Batch {
  readonly candidates: readonly Candidate[];
  readonly records: ReadonlyMap<string, Record<string, unknown>>;
}

/** As many as a look into the catalogue takes at once. */
const pageSize = 1000;
/** Less than one in so many items are few. */
const fewShare = 10;
/** Of the time, for what a user whose history could not be read has seen. */
const unreadShare = 0.25;
/** What is kept of the time for the records of those that match: one read or two. */
const recordsMs = 50;

/**
 * The best items that have a record, match the filter and were not seen, from the candidates on down: all that evidence
 * reaches, then the rest of the model's catalogue by popularity, then items that came after the training.
 */
export async function findItems(search: Search): Promise<{ found: Found[]; shortfall: string | null }> {
  const found: Found[] = [];
  let looked = 0;
  try {
    for await (const batch of candidatesWithRecords(search)) {
      for (const one of batch) {
        if (search.filter && !search.filter.matches(one.attributes, one.candidate.itemId)) continue;
        found.push(one);
        if (found.length === search.wanted) return { found, shortfall: null };
      }
      looked += batch.length;
      if (search.leftMs() <= 0) return { found, shortfall: tooLate(search, found, looked) };
    }
  } catch (error) {
    // What was found before the time ended is an answer.
    if (looked === 0 || !(error instanceof Overdue)) throw error;
    return { found, shortfall: tooLate(search, found, looked) };
  }
  return { found, shortfall: found.length < search.request.limit ? tooFew(search, found.length) : null };
}

async function* candidatesWithRecords(search: Search): AsyncGenerator<Found[], void> {
  for await (const batch of searchCatalogue(search)) yield withoutSeen(search, batch);
}

/**
 * The catalogue from end to end; as soon as a mirror can say which items match, of the rest only those. One that is not there yet is
 * asked for, and so loaded, only when the best items do not do: most filters need none.
 */
async function* searchCatalogue(search: Search): AsyncGenerator<Batch, void> {
  const { filter, mirrors, project } = search;
  if (!filter || !mirrors) return yield* allItems(search);
  const looked = new Set<string>();
  const findMatching = () => mirrors.match(project.items, filter, () => search.leftMs() - recordsMs);
  if (mirrors.isReady(project.items)) {
    const matching = await findMatching();
    if (matching) return yield* itemsAmong(search, matching, looked);
  }
  for await (const batch of allItems(search)) {
    yield batch;
    for (const { itemId } of batch.candidates) looked.add(itemId);
    const matching = await findMatching();
    if (matching) return yield* itemsAmong(search, matching, looked);
  }
}

async function* allItems(search: Search): AsyncGenerator<Batch, void> {
  const { db, project, generator, user, request, filter, wanted, leftMs } = search;
  const look = { first: firstLook(wanted, filter !== undefined), keepSeen: !request.exclude_seen };
  for (const candidates of lookForCandidates(generator, user, look))
    yield { candidates, records: await readRecords(search, candidates) };
  for (let afterId = ''; ; ) {
    const page = await within(leftMs(), readItemsAfter(db, project, afterId, pageSize));
    const ids = page.map(({ item_id }) => item_id).filter((id) => !generator.itemNumbers.has(id));
    const records = new Map(page.map(({ item_id, attributes }) => [item_id, attributes]));
    yield { candidates: ids.map(newItem), records };
    if (page.length < pageSize) return;
    afterId = page.at(-1)?.item_id ?? afterId;
  }
}

/** The same in the same order, of those that match and were not looked at. */
async function* itemsAmong(
  search: Search,
  matching: Matching,
  looked: ReadonlySet<string>,
): AsyncGenerator<Batch, void> {
  const { generator, user, request, wanted } = search;
  const isWanted = wantedNumbers(generator, matching, looked);
  const look = { first: firstLook(wanted, false), keepSeen: !request.exclude_seen, isWanted };
  for (const candidates of lookForCandidates(generator, user, look))
    yield { candidates, records: await readRecords(search, candidates) };
  const fresh = matching.ids().filter((id) => !looked.has(id) && !generator.itemNumbers.has(id));
  for (let ids = firstAfter('', fresh); ids.length > 0; ids = firstAfter(ids.at(-1) ?? '', fresh)) {
    const candidates = ids.map(newItem);
    yield { candidates, records: await readRecords(search, candidates) };
  }
}

/** Where they are few, the scorer has to pass over nearly all items, and looking into a list is faster than asking for each. */
function wantedNumbers({ itemIds, itemNumbers }: Snapshot, matching: Matching, looked: ReadonlySet<string>) {
  if (matching.count * fewShare > itemIds.length)
    return (item: number) => {
      const id = itemIds[item] ?? '';
      return matching.has(id) && !looked.has(id);
    };
  const wanted = new Uint8Array(itemIds.length);
  for (const id of matching.ids()) {
    const number = itemNumbers.get(id);
    if (number !== undefined && !looked.has(id)) wanted[number] = 1;
  }
  return (item: number) => wanted[item] === 1;
}

/** An item that came after the training. */
const newItem = (itemId: string): Candidate => ({ number: undefined, itemId, score: 0, isFilled: true });

/** The next page of ids in PostgreSQL's order. They may be most of a catalogue, of which only the first few are sorted. */
function firstAfter(afterId: string, ids: readonly string[]): string[] {
  let first: string[] = [];
  let last: string | undefined;
  for (const id of ids) {
    if (orderTexts(id, afterId) <= 0 || (last !== undefined && orderTexts(id, last) > 0)) continue;
    first.push(id);
    if (first.length < 2 * pageSize) continue;
    first = first.sort(orderTexts).slice(0, pageSize);
    last = first.at(-1);
  }
  return first.sort(orderTexts).slice(0, pageSize);
}

async function readRecords(search: Search, candidates: readonly Candidate[]): Promise<Batch['records']> {
  const ids = candidates.map(({ itemId }) => itemId);
  return within(search.leftMs(), search.reads.items(search.project, ids));
}

/** The model leaves out what it read; what lies further back, or is unknown to it, is looked up. */
async function withoutSeen(
  { db, project, request, history, leftMs }: Search,
  { candidates, records }: Batch,
): Promise<Found[]> {
  const { user_id, exclude_seen } = request;
  const ids = candidates
    .filter(({ number, itemId }) => (history !== 'whole' || number === undefined) && records.has(itemId))
    .map(({ itemId }) => itemId);
  const readAll = () => readSeen(db, project, user_id, project.target_event_type, ids);
  const seen = !exclude_seen || ids.length === 0 ? undefined : await lookUp(readAll, history, leftMs);
  return candidates.flatMap((candidate) => {
    const attributes = records.get(candidate.itemId);
    return attributes && !seen?.has(candidate.itemId) ? [{ candidate, attributes }] : [];
  });
}

/** What could not be read a moment ago may be away still: the answer, which says so, does not wait for it for long. */
async function lookUp<T>(read: () => Promise<T>, history: Search['history'], leftMs: () => number) {
  if (history !== 'unread') return within(leftMs(), read());
  return within(leftMs() * unreadShare, read()).catch(() => undefined);
}

function tooLate({ request }: Search, found: readonly Found[], looked: number): string | null {
  if (found.length >= request.limit) return null;
  return `The call's time ended after ${looked} items were looked at: ask for fewer, or filter less.`;
}

function tooFew({ filter, request }: Search, found: number): string {
  const unseen = request.exclude_seen ? ' that the user has not had' : '';
  return filter
    ? `Only ${found} of the items${unseen} ${found === 1 ? 'matches' : 'match'} the filter.`
    : `The item dataset has only ${found} items${unseen}.`;
}
