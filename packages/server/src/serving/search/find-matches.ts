import type { Filter } from '../../filters/compile-filter.ts';
import { within } from '../../kernel/lib/within.ts';
import type { CallBudget } from '../call-budget.ts';
import type { ItemMirrors } from '../catalogue/item-mirrors.ts';
import { readItemsAfter } from '../rows/item-reads.ts';
import type { ServedProject } from '../rows/serving-reads.ts';
import type { CallReads } from '../state/live-reads.ts';
import { FirstIds } from './first-ids.ts';
import { pageSize } from './read-records.ts';
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

/** The items that match: all of them from the mirror, or as many as the call has time to read while there is no mirror. */
export async function findMatches(search: ItemSearch): Promise<Matches> {
  return (await findInMirror(search)) ?? findInDatabase(search);
}

async function findInMirror(search: ItemSearch): Promise<Matches | undefined> {
  const { mirrors, project, filter, text, limit } = search;
  const budget = search.budget.share(mirrorShare);
  const mirror = await mirrors.open(project.items, budget.leftMs());
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
