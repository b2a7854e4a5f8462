import type { Filter } from '../filters/compile-filter.ts';
import { orderTexts } from '../filters/value.ts';
import { Heap } from '../kernel/lib/heap.ts';
import { within } from '../kernel/lib/within.ts';
import type { CallBudget } from '../serving/call-budget.ts';
import type { ItemMirrors } from '../serving/catalogue/item-mirrors.ts';
import { readItemsAfter } from '../serving/rows/item-reads.ts';
import type { ServedProject } from '../serving/rows/serving-reads.ts';
import { pageSize } from '../serving/search/read-records.ts';
import type { CallReads } from '../serving/state/live-reads.ts';
import type { TextFilter } from './text-filter.ts';

export interface ItemSearch {
  readonly project: ServedProject;
  readonly mirrors: ItemMirrors;
  readonly reads: CallReads;
  readonly filter: Filter;
  /** Part of the filter; undefined if there is no text. */
  readonly text: TextFilter | undefined;
  readonly limit: number;
  readonly budget: CallBudget;
}

export interface Matches {
  /** At most `limit`, those that begin with the text first, then by ID. */
  readonly ids: readonly string[];
  readonly count: number;
  readonly isComplete: boolean;
}

/** Share of the call for the mirror; the rest is for reading the database instead. */
const mirrorShare = 0.6;
/** For looking up a matching item, and comparing its ID. */
const idSteps = 20;

/** The first `limit` of the IDs that are added, in PostgreSQL's order. There may be a whole catalogue of them. */
class FirstIds {
  readonly #limit: number;
  /** The last one on top. */
  readonly #heap = new Heap<string>((one, other) => orderTexts(other, one));

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(id: string): void {
    const last = this.#heap.peek();
    if (this.#heap.size === this.#limit && last !== undefined) {
      if (orderTexts(id, last) >= 0) return;
      this.#heap.pop();
    }
    this.#heap.push(id);
  }

  sorted(): string[] {
    const ids: string[] = [];
    for (let id = this.#heap.pop(); id !== undefined; id = this.#heap.pop()) ids.push(id);
    return ids.reverse();
  }
}

/** The items that match: all of them from the mirror, or as many as the call has time to read while there is no mirror. */
export async function findMatches(search: ItemSearch): Promise<Matches> {
  return (await findInMirror(search)) ?? findInDatabase(search);
}

async function findInMirror(search: ItemSearch): Promise<Matches | undefined> {
  const { mirrors, project, filter, text, limit } = search;
  const budget = search.budget.share(mirrorShare);
  const mirror = await mirrors.open(project, budget.leftMs());
  const matching = await mirror?.search(filter, budget);
  if (!mirror || !matching) return undefined;
  const { count } = matching;
  if (limit === 0) return { ids: [], count, isComplete: true };
  const first = new FirstIds(limit);
  const others = new FirstIds(limit);
  const ids = matching.ids();
  const isCollected = await budget.forEach(() => {
    const next = ids.next();
    if (next.done) return false;
    budget.spend(idSteps);
    const isFirst = text?.startsWith(mirror.attributesOf(next.value) ?? {}, next.value) === true;
    (isFirst ? first : others).add(next.value);
    return true;
  });
  return isCollected
    ? { ids: [...first.sorted(), ...others.sorted()].slice(0, limit), count, isComplete: true }
    : undefined;
}

/** Reads the catalogue in the order of IDs, as far as the budget reaches. */
async function findInDatabase({ project, reads, filter, text, limit, budget }: ItemSearch): Promise<Matches> {
  const first: string[] = [];
  const others: string[] = [];
  let count = 0;
  const matchesOf = (isComplete: boolean) => ({
    ids: [...first, ...others].slice(0, limit),
    count,
    isComplete,
  });
  for (let afterId = '', size = pageSize; ; ) {
    if (budget.exhausted) return matchesOf(false);
    const page = await within(
      budget.leftMs(),
      readItemsAfter(reads.db, project.items, { afterId, size, requestedFields: filter.attributes ?? 'all' }),
    ).catch(() => undefined);
    if (!page) return matchesOf(false);
    const items = page.items.values();
    const isDone = await budget.forEach(() => {
      const next = items.next();
      if (next.done) return false;
      const [id, item] = next.value;
      budget.spendRead(item.length);
      budget.spendParse(item.length);
      if (!filter.matches(item.attributes, id, budget)) return true;
      count++;
      const list = text?.startsWith(item.attributes, id) === true ? first : others;
      if (list.length < limit) list.push(id);
      return true;
    });
    if (!isDone) return matchesOf(false);
    if (page.isLast) return matchesOf(true);
    afterId = page.items.at(-1)?.[0] ?? afterId;
    size = Math.min(pageSize, 2 * page.items.length);
  }
}
