import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  type ItemsPosition,
  readItemChanges,
  readItemsPosition,
} from '../../storage/postgres/item-changes.ts';
import type { Queryable } from '../../storage/postgres/pool.ts';
import { readItems, readItemsAfter, type ServedProject } from '../../storage/postgres/serving-reads.ts';
import type { Filter } from '../filter/compile-filter.ts';
import { FilterMatches } from './filter-matches.ts';
import { ItemTable } from './item-table.ts';

/** Records that are read at once: a usual one is parsed in microseconds, and PostgreSQL's answer comes in pieces anyway. */
const pageSize = 1000;
/** For how long calls wait for a turn while items are taken in, or a filter is evaluated. */
const sliceMs = 5;
/** A service sends the same few filters again and again; each is a bit an item, and one more to look up for a change. */
const keptFilters = 32;

/** Which items match a filter. What has changed since it was asked for may be in it already, or not. */
export type Matching = Pick<FilterMatches, 'count' | 'has' | 'ids'>;

/** Not everything that has changed can be known any more. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';
}

/**
 * The items of a dataset in memory, as far as filters see them, and which of them match the filters asked for lately.
 * Only as good as its last `sync`, which a call waits for before it asks.
 */
export class ItemMirror {
  readonly #db: Queryable;
  readonly #items: ServedProject['items'];
  readonly #table = new ItemTable();
  readonly #matches = new LRUCache<string, FilterMatches>({ max: keptFilters });
  /** Calls that evaluate a filter: they share the slice. */
  #evaluating = 0;
  #position: ItemsPosition | undefined;
  #syncing: Promise<void> | undefined;
  #nextSync: Promise<void> | undefined;

  constructor(db: Queryable, items: ServedProject['items']) {
    this.#db = db;
    this.#items = items;
  }

  /** Memory it takes, about. */
  get bytes(): number {
    return this.#table.bytes;
  }

  /** Reads all items, page by page, then what has changed meanwhile. Throws what `onPage` throws. */
  async load(onPage: () => void): Promise<void> {
    const position = await readItemsPosition(this.#db);
    for (let afterId: string | undefined = ''; afterId !== undefined; ) {
      const page = await readItemsAfter(this.#db, { items: this.#items }, afterId, pageSize);
      await inSlices(page, ({ item_id, attributes }) => this.#table.set(item_id, attributes));
      onPage();
      afterId = page.length < pageSize ? undefined : page.at(-1)?.item_id;
    }
    this.#position = position;
    await this.sync();
  }

  /**
   * When done, everything is known that was committed before the call. One that has already begun may have missed it,
   * so there is one under way and one that waits for it, for however many calls. Throws OutdatedError when it is too late.
   */
  sync(): Promise<void> {
    if (!this.#syncing) {
      this.#syncing = this.#readChanges().finally(() => (this.#syncing = undefined));
      return this.#syncing;
    }
    this.#nextSync ??= this.#syncing
      .catch(() => undefined)
      .then(() => {
        this.#nextSync = undefined;
        return this.sync();
      });
    return this.#nextSync;
  }

  /** Which items match, as of the last sync or later; undefined when the time is over before. */
  async match(filter: Filter, leftMs: () => number): Promise<Matching | undefined> {
    let matches = this.#matches.get(filter.text);
    if (!matches) {
      matches = new FilterMatches(this.#table);
      this.#matches.set(filter.text, matches);
    }
    this.#evaluating++;
    try {
      // What one call leaves undone the next one with this filter goes on with.
      for (;;) {
        matches.evaluate(filter, Math.min(sliceMs / this.#evaluating, leftMs()));
        if (matches.isComplete) return matches;
        if (leftMs() <= 0) return undefined;
        await nextTurn();
      }
    } finally {
      this.#evaluating--;
    }
  }

  async #readChanges(): Promise<void> {
    const since = this.#position;
    if (!since) throw new Error('a mirror is loaded first');
    let changes = await readItemChanges(this.#db, this.#items, since);
    const upTo = changes.position;
    for (;;) {
      if (!changes.isContinuous) throw new OutdatedError('the mirror was not kept up for too long');
      for (let from = 0; from < changes.ids.length; from += pageSize)
        await this.#readAgain(changes.ids.slice(from, from + pageSize));
      if (!changes.more) break;
      changes = await readItemChanges(this.#db, this.#items, since, { last: changes.last, upTo });
    }
    this.#position = upTo;
  }

  /** As they are now, which may be later than the change: then that comes again. */
  async #readAgain(ids: readonly string[]): Promise<void> {
    const records = await readItems(this.#db, { items: this.#items }, ids);
    await inSlices(ids, (id) => {
      const attributes = records.get(id);
      const slot = attributes ? this.#table.set(id, attributes) : this.#table.remove(id);
      if (slot === undefined) return;
      for (const matches of this.#matches.values()) matches.change(slot);
    });
  }
}

async function inSlices<T>(all: readonly T[], take: (one: T) => void): Promise<void> {
  let end = performance.now() + sliceMs;
  for (const one of all) {
    take(one);
    if (performance.now() < end) continue;
    await nextTurn();
    end = performance.now() + sliceMs;
  }
}
