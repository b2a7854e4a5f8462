import { LRUCache } from 'lru-cache';
import type { Filter } from '../../filters/compile-filter.ts';
import { within } from '../../kernel/lib/within.ts';
import type { Database } from '../../kernel/postgres/pool.ts';
import type { LoadedModel } from '../../models/loaded-model.ts';
import { CallBudget } from '../call-budget.ts';
import type { CallClock } from '../call-clock.ts';
import type { ServedProject } from '../rows/serving-reads.ts';
import {
  ItemMirror,
  type MatchingItems,
  MirrorUnusableError,
  type MirrorView,
  OutdatedError,
} from './item-mirror.ts';
import type { TakenItems } from './taken-items.ts';

/** After a load that failed or did not fit: it reads a whole dataset, and an earlier retry would hardly succeed. */
const loadPauseMs = 30_000;
/** A mirror used within this time is not evicted: two that do not fit together would keep evicting each other. */
const recentlyUsedMs = 60_000;
/** Share of a call's time for a sync; the rest is for responding without the mirror. */
const syncShare = 0.5;
/** Share of a call's time and steps for numbering the items of a model that is new to the mirror. */
const viewShare = 0.5;
/** The most paused datasets; an evicted entry costs one failed load. */
const maxPaused = 1000;
/** Memory runs out long before: an empty mirror takes a few kilobytes. */
const maxMirrors = 10_000;

const tooLargeMessage = 'the items do not fit into the memory for mirrors';

interface LoadedMirror {
  readonly mirror: ItemMirror;
  usedAt: number;
}

/** Mirrors of item datasets, loaded in the background when first needed, and evicted when another needs the memory. */
export class ItemMirrors {
  readonly #db: Database;
  readonly #budgetBytes: number;
  readonly #onFailure: (error: unknown) => void;
  /** By dataset ID, in order of use. `#evictToFit` evicts, and not the cache, since mirrors grow while they are in it. */
  readonly #loaded = new LRUCache<string, LoadedMirror>({ max: maxMirrors });
  /** One load at a time, since a load reads as fast as PostgreSQL can deliver. */
  #loading: ItemMirror | undefined;
  readonly #paused = new LRUCache<string, true>({ max: maxPaused, ttl: loadPauseMs });

  constructor(db: Database, budgetBytes: number, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#budgetBytes = budgetBytes;
    this.#onFailure = onFailure;
  }

  /** Approximate memory. */
  get bytes(): number {
    const loaded = [...this.#loaded.values()].reduce((sum, { mirror }) => sum + mirror.bytes, 0);
    return loaded + (this.#loading?.bytes ?? 0);
  }

  /** Whether the mirror is loaded. */
  isReady({ id }: ServedProject['items']): boolean {
    return this.#loaded.peek(id) !== undefined;
  }

  /** The items that match now. Undefined if there is no mirror, as for `open`, or the budget ran out. */
  async match(
    items: ServedProject['items'],
    filter: Filter,
    budget: CallBudget,
    model?: Pick<LoadedModel, 'modelKey' | 'itemIds' | 'itemNumbers'>,
  ): Promise<MatchingItems | undefined> {
    if (budget.exhausted) return undefined;
    return (await this.open(items, budget.leftMs()))?.match(filter, budget, model);
  }

  /**
   * The mirror, with everything that was committed before the call. Undefined if there is none yet (it is then loaded), or if
   * it cannot be synced in half of the time that is left. Never throws, since the caller can do without.
   */
  async open(items: ServedProject['items'], leftMs: number): Promise<ItemMirror | undefined> {
    const mirror = this.#find(items);
    if (!mirror) return undefined;
    try {
      await within(leftMs * syncShare, mirror.sync());
    } catch (error) {
      if (error instanceof OutdatedError && this.#loaded.peek(items.id)?.mirror === mirror) {
        this.#loaded.delete(items.id);
        this.#find(items);
      }
      return undefined;
    }
    // The sync may have grown it.
    if (!this.#evictToFit(mirror, 0)) this.#discard(items.id, new Error(tooLargeMessage));
    return mirror;
  }

  #find(items: ServedProject['items']): ItemMirror | undefined {
    const known = this.#loaded.get(items.id);
    if (known) {
      known.usedAt = performance.now();
      return known.mirror;
    }
    if (!this.#loading && !this.#paused.has(items.id)) void this.#load(items);
    return undefined;
  }

  async #load(items: ServedProject['items']): Promise<void> {
    const { id } = items;
    const mirror = new ItemMirror(this.#db, items);
    this.#loading = mirror;
    try {
      await mirror.load(() => {
        if (!this.#evictToFit(mirror, recentlyUsedMs)) throw new Error(tooLargeMessage);
      });
      this.#loaded.set(id, { mirror, usedAt: performance.now() });
    } catch (error) {
      this.#discard(id, error);
    } finally {
      this.#loading = undefined;
    }
  }

  #discard(id: string, error: unknown): void {
    this.#loaded.delete(id);
    this.#paused.set(id, true);
    this.#onFailure(error);
  }

  /** Evicts other mirrors that were not used for `unusedMs`, least recently used first. False if that is not enough. */
  #evictToFit(forMirror: ItemMirror, unusedMs: number): boolean {
    const before = performance.now() - unusedMs;
    // A mirror that is being loaded calls this itself.
    const others = [...this.#loaded].reverse().filter(([, { mirror }]) => mirror !== forMirror);
    let bytes = others.reduce((sum, [, { mirror }]) => sum + mirror.bytes, forMirror.bytes);
    for (const [id, { mirror, usedAt }] of others) {
      if (bytes <= this.#budgetBytes) break;
      if (usedAt > before) continue;
      this.#loaded.delete(id);
      bytes -= mirror.bytes;
    }
    return bytes <= this.#budgetBytes;
  }
}

/** What the search of a call needs of it. */
interface MirrorCall {
  readonly serving: { readonly mirrors: ItemMirrors; readonly takenItems: Pick<TakenItems, 'addTo'> };
  readonly project: ServedProject;
  readonly clock: Pick<CallClock, 'leftMs'>;
}

/**
 * Finds items in a mirror, or in the database if there is none or it changed meanwhile. Both give the same result, except that
 * without a mirror, which alone knows their attributes beforehand, items that were added after training come last.
 */
export async function searchMirror<Result>(
  call: MirrorCall,
  model: LoadedModel,
  find: (mirror: MirrorView | undefined) => Promise<Result>,
): Promise<Result> {
  const mirror = await openMirror(call, model);
  if (!mirror) return find(undefined);
  try {
    return await find(mirror);
  } catch (error) {
    if (!(error instanceof MirrorUnusableError)) throw error;
    return find(undefined);
  }
}

async function openMirror(
  { serving, project, clock }: MirrorCall,
  model: LoadedModel,
): Promise<MirrorView | undefined> {
  const mirror = await serving.mirrors.open(project.items, clock.leftMs());
  const budget = new CallBudget(project.account_id, clock.leftMs);
  const view = await mirror?.view(model, budget.share(viewShare));
  return view && { ...view, late: serving.takenItems.addTo(project, model, view.late) };
}
