import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import {
  type ItemsPosition,
  readAt,
  readItemChanges,
  readItemsPosition,
} from '../../datasets/rows/item-changes.ts';
import type { Filter } from '../../filters/compile-filter.ts';
import { slices } from '../../kernel/lib/slices.ts';
import type { Database } from '../../kernel/postgres/pool.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import type { CallBudget } from '../call-budget.ts';
import type { ItemRecord, ItemRecords } from '../item-record.ts';
import { type ItemPage, readItems, readItemsAfter, type StoredItem } from '../rows/item-reads.ts';
import type { ServedProject } from '../rows/serving-reads.ts';
import { FilterMatches } from './filter-matches.ts';
import { ItemTable } from './item-table.ts';
import { LateTable, type LateView } from './late-items.ts';
import { ModelSlots } from './model-slots.ts';

/** The most records per read; fewer if they are large. */
const pageSize = 1000;
/** A service sends the same few filters again and again. Each takes one bit per item, and work per change. */
const maxFilters = 32;
/** Filters and texts that somebody is typing. They must not displace the filters of recommendation calls. */
const maxSearches = 8;
/** Models of projects that share the dataset, or of consecutive deployments: 4 bytes per item each. */
const maxModels = 4;

/** The items that match a filter. May include changes made after the call. */
export interface MatchingItems extends Pick<FilterMatches, 'count' | 'has' | 'ids'> {
  /** By the item's index in the given model. */
  readonly hasNumber: (number: number) => boolean;
}

/** The items of a mirror for one call. */
export interface MirrorView extends ItemRecords {
  /** The items that the model does not know. */
  readonly late: LateView;
  /** By the item's index in the model, or its index among the late items after those. */
  readonly attributesOf: (number: number) => ItemRecord['attributes'] | undefined;
  /** Undefined if the budget ran out. */
  readonly match: (filter: Filter, budget: CallBudget) => Promise<MatchingItems | undefined>;
}

type NumberedModel = Pick<LoadedModel, 'modelKey' | 'itemIds' | 'itemNumbers'>;
type ViewedModel = NumberedModel & Pick<LoadedModel, 'featuresOf'>;

/** The list of changes no longer reaches back far enough, or what the mirror keeps of items has changed. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';
}

/** What a call read from a mirror does not fit together: the mirror was synced meanwhile, or the call's conditions take too long. */
export class MirrorUnusableError extends Error {
  override readonly name = 'MirrorUnusableError';
}

/** A dataset's items, reduced to what filters read, and their matches of recent filters. As current as the last `sync`. */
export class ItemMirror {
  readonly #db: Database;
  readonly #items: ServedProject['items'];
  #table = new ItemTable();
  readonly #matches = new LRUCache<string, FilterMatches>({ max: maxFilters });
  readonly #searches = new LRUCache<string, FilterMatches>({ max: maxSearches });
  readonly #modelSlots = new LRUCache<string, ModelSlots>({ max: maxModels });
  readonly #lateTables = new LRUCache<string, LateTable>({ max: maxModels });
  /** The tenant for loading and syncing, which belong to no call. */
  readonly #tenant: string;
  #position: ItemsPosition | undefined;
  #syncing: Promise<void> | undefined;
  #nextSync: Promise<void> | undefined;

  constructor(db: Database, items: ServedProject['items']) {
    this.#db = db;
    this.#items = items;
    this.#tenant = items.id;
  }

  /** Approximate memory. */
  get bytes(): number {
    return [...this.#lateTables.values()].reduce((sum, { bytes }) => sum + bytes, this.#table.bytes);
  }

  /** Reads all items, page by page, then the changes made meanwhile. Throws what `onPage` throws. */
  async load(onPage: () => void): Promise<void> {
    const position = await readItemsPosition(this.#db, this.#items);
    this.#table = new ItemTable(position.vectors);
    for (let afterId: string | undefined = '', size = pageSize; afterId !== undefined; ) {
      const asked = { afterId, size };
      const page: ItemPage = await readAt(this.#db, position, (tx) => readItemsAfter(tx, this.#items, asked));
      await slices.forEach(this.#tenant, page.items, ([id, item]) =>
        this.#table.set(id, item.attributes, item.length),
      );
      onPage();
      afterId = page.isLast ? undefined : page.items.at(-1)?.[0];
      size = Math.min(pageSize, 2 * page.items.length);
    }
    this.#position = position;
    await this.sync();
  }

  /**
   * Then the mirror has everything that was committed before the call. A sync in progress may have missed that, so calls
   * made meanwhile share one further sync, after the current one. Throws OutdatedError if changes are lost.
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

  /** Undefined if there is no such item. */
  attributesOf(itemId: string): ItemRecord['attributes'] | undefined {
    const slot = this.#table.slotOf(itemId);
    return slot === undefined ? undefined : this.#table.attributesAt(slot);
  }

  /** The matching items, as of the last sync or later; undefined if the budget ran out. */
  async match(filter: Filter, budget: CallBudget, model?: NumberedModel): Promise<MatchingItems | undefined> {
    const matches = this.#matches.get(filter.text) ?? new FilterMatches(this.#table);
    this.#matches.set(filter.text, matches);
    // The next call with this filter continues what this one leaves undone.
    if (!(await matches.evaluate(filter, budget))) return undefined;
    const modelSlots = model && (await this.#slotsOf(model, budget));
    if (model && !modelSlots) return undefined;
    return {
      count: matches.count,
      has: (id) => matches.has(id),
      ids: () => matches.ids(),
      hasNumber: (number) => {
        const slot = modelSlots?.slotOf(number);
        return slot !== undefined && matches.hasSlot(slot);
      },
    };
  }

  /** The matching items, of a search rather than a recommendation; undefined if the budget ran out. */
  async search(
    filter: Filter,
    budget: CallBudget,
  ): Promise<Pick<FilterMatches, 'count' | 'ids'> | undefined> {
    const known = this.#matches.peek(filter.text) ?? this.#searches.get(filter.text);
    const matches = known ?? new FilterMatches(this.#table);
    if (!known) this.#searches.set(filter.text, matches);
    return (await matches.evaluate(filter, budget)) ? matches : undefined;
  }

  /** The items as of the last sync or later, for candidates of a model; undefined if the budget ran out. */
  async view(model: ViewedModel, budget: CallBudget): Promise<MirrorView | undefined> {
    const modelSlots = await this.#slotsOf(model, budget);
    const late = modelSlots && (await this.#lateOf(model, budget));
    if (!late) return undefined;
    const table = this.#table;
    const { version } = table;
    const slotOf = (itemId: string, number: number | undefined) =>
      // By number it takes a tenth of the time.
      number !== undefined && table.version === version ? modelSlots.slotOf(number) : table.slotOf(itemId);
    return {
      late,
      get: (itemId, number) => {
        const slot = slotOf(itemId, number);
        return slot === undefined ? undefined : table.recordAt(slot);
      },
      attributesOf: (number) => {
        const lateId = late.ids[number - model.itemIds.length];
        const slot =
          lateId === undefined ? slotOf(model.itemIds[number] ?? '', number) : table.slotOf(lateId);
        return slot === undefined ? undefined : table.attributesAt(slot);
      },
      match: (filter, share) => this.match(filter, share, model),
    };
  }

  async #slotsOf(model: NumberedModel, budget: CallBudget): Promise<ModelSlots | undefined> {
    const known = this.#modelSlots.get(model.modelKey);
    const modelSlots = known ?? new ModelSlots(this.#table, model.itemIds.length);
    this.#modelSlots.set(model.modelKey, modelSlots);
    return (await modelSlots.update(model, budget)) ? modelSlots : undefined;
  }

  async #lateOf(model: ViewedModel, budget: CallBudget): Promise<LateView | undefined> {
    const late = this.#lateTables.get(model.modelKey) ?? new LateTable(this.#table);
    this.#lateTables.set(model.modelKey, late);
    return late.update(model, budget);
  }

  async #readChanges(): Promise<void> {
    const since = this.#position;
    if (!since) throw new Error('sync was called before load');
    let changes = await readItemChanges(this.#db, this.#items, since);
    const upTo = changes.position;
    for (;;) {
      if (!changes.isContinuous) throw new OutdatedError('the mirror has not been synced for too long');
      if (!isDeepStrictEqual(changes.position.vectors, since.vectors))
        throw new OutdatedError('other attributes are vectors now');
      for (let from = 0; from < changes.ids.length; from += pageSize)
        await this.#readAgain(changes.ids.slice(from, from + pageSize), upTo);
      if (!changes.more) break;
      changes = await readItemChanges(this.#db, this.#items, since, { last: changes.last, upTo });
    }
    this.#position = upTo;
  }

  /** Reads the current records, which may already include later changes. Those changes are then read once more. */
  async #readAgain(ids: readonly string[], at: ItemsPosition): Promise<void> {
    for (let rest = ids; rest.length > 0; ) {
      const asked = rest;
      const records = await readAt(this.#db, at, (tx) => readItems(tx, this.#items, asked));
      const unread = rest.filter((id) => records.get(id)?.isRead === false);
      await slices.forEach(this.#tenant, rest, (id) => {
        const item = records.get(id);
        if (item?.isRead !== false) this.#change(id, item);
      });
      rest = unread;
    }
  }

  #change(id: string, item: StoredItem | undefined): void {
    const isNew = this.#table.slotOf(id) === undefined;
    const slot = item ? this.#table.set(id, item.attributes, item.length) : this.#table.remove(id);
    if (slot === undefined) return;
    for (const [modelKey, late] of this.#lateTables.entries())
      if (!late.change(id)) this.#lateTables.delete(modelKey);
    for (const matches of [...this.#matches.values(), ...this.#searches.values()]) matches.change(slot);
    // A changed item keeps its slot.
    if (!isNew && item) return;
    for (const [modelKey, modelSlots] of this.#modelSlots.entries())
      if (!modelSlots.change(id)) this.#modelSlots.delete(modelKey);
  }
}
