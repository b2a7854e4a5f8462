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

/** Datasets that are loaded at a time, at most one per account: a load reads as fast as PostgreSQL can deliver. */
const maxLoads = 2;
/** Up to this share of the memory, an account's mirrors that are in use are not evicted for those of another. */
const accountShare = 0.5;

interface LoadedMirror {
  readonly mirror: ItemMirror;
  readonly account: string;
  usedAt: number;
}

/** Whose items are mirrored. */
type MirroredProject = Pick<ServedProject, 'items' | 'account_id'>;

/** Mirrors of item datasets, loaded in the background when first needed, and evicted when another needs the memory. */
export class ItemMirrors {
  readonly #db: Database;
  readonly #budgetBytes: number;
  readonly #onFailure: (error: unknown) => void;
  /** By dataset ID, in order of use. `#evictToFit` evicts, and not the cache, since mirrors grow while they are in it. */
  readonly #loaded = new LRUCache<string, LoadedMirror>({ max: maxMirrors });
  /** By account. */
  readonly #loading = new Map<string, ItemMirror>();
  readonly #paused = new LRUCache<string, true>({ max: maxPaused, ttl: loadPauseMs });

  constructor(db: Database, budgetBytes: number, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#budgetBytes = budgetBytes;
    this.#onFailure = onFailure;
  }

  /** Approximate memory. */
  get bytes(): number {
    const loaded = [...this.#loaded.values()].map(({ mirror }) => mirror);
    return [...loaded, ...this.#loading.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether the mirror is loaded. */
  isReady({ items }: MirroredProject): boolean {
    return this.#loaded.peek(items.id) !== undefined;
  }

  /** The items that match now. Undefined if there is no mirror, as for `open`, or the budget ran out. */
  async match(
    project: MirroredProject,
    filter: Filter,
    budget: CallBudget,
    model?: Pick<LoadedModel, 'modelKey' | 'itemIds' | 'itemNumbers'>,
  ): Promise<MatchingItems | undefined> {
    if (budget.exhausted) return undefined;
    return (await this.open(project, budget.leftMs()))?.match(filter, budget, model);
  }

  /**
   * The mirror, with everything that was committed before the call. Undefined if there is none yet (it is then loaded), or if
   * it cannot be synced in half of the time that is left. Never throws, since the caller can do without.
   */
  async open(project: MirroredProject, leftMs: number): Promise<ItemMirror | undefined> {
    const { items, account_id } = project;
    const mirror = this.#find(project);
    if (!mirror) return undefined;
    try {
      await within(leftMs * syncShare, mirror.sync());
    } catch (error) {
      if (error instanceof OutdatedError && this.#loaded.peek(items.id)?.mirror === mirror) {
        this.#loaded.delete(items.id);
        this.#find(project);
      }
      return undefined;
    }
    // The sync may have grown it.
    if (!this.#evictToFit(mirror, account_id, 0)) this.#discard(items.id, new Error(tooLargeMessage));
    return mirror;
  }

  #find(project: MirroredProject): ItemMirror | undefined {
    const { items, account_id } = project;
    const known = this.#loaded.get(items.id);
    if (known) {
      known.usedAt = performance.now();
      return known.mirror;
    }
    const mayLoad = this.#loading.size < maxLoads && !this.#loading.has(account_id);
    if (mayLoad && !this.#paused.has(items.id)) void this.#load(project);
    return undefined;
  }

  async #load({ items, account_id: account }: MirroredProject): Promise<void> {
    const { id } = items;
    const mirror = new ItemMirror(this.#db, items);
    this.#loading.set(account, mirror);
    try {
      await mirror.load(() => {
        if (!this.#evictToFit(mirror, account, recentlyUsedMs)) throw new Error(tooLargeMessage);
      });
      this.#loaded.set(id, { mirror, account, usedAt: performance.now() });
    } catch (error) {
      this.#discard(id, error);
    } finally {
      this.#loading.delete(account);
    }
  }

  #discard(id: string, error: unknown): void {
    this.#loaded.delete(id);
    this.#paused.set(id, true);
    this.#onFailure(error);
  }

  /**
   * Evicts other mirrors, least recently used first: those that are not in use, then the account's own that were not used for
   * `unusedMs`, and those of an account that has more than its share if this one has not. False if that is not enough.
   */
  #evictToFit(forMirror: ItemMirror, account: string, unusedMs: number): boolean {
    const now = performance.now();
    // A mirror that is being loaded calls this itself.
    const others = [...this.#loaded].reverse().filter(([, { mirror }]) => mirror !== forMirror);
    let bytes = this.bytes;
    const held = new Map<string, number>();
    const add = (owner: string, more: number) => held.set(owner, (held.get(owner) ?? 0) + more);
    for (const [owner, mirror] of this.#loading) add(owner, mirror.bytes);
    for (const { account: owner, mirror } of this.#loaded.values()) add(owner, mirror.bytes);
    const exceedsShare = (owner: string) => (held.get(owner) ?? 0) > this.#budgetBytes * accountShare;
    const mayEvict = [
      ({ usedAt }: LoadedMirror) => usedAt <= now - recentlyUsedMs,
      ({ account: owner, usedAt }: LoadedMirror) =>
        owner === account ? usedAt <= now - unusedMs : exceedsShare(owner) && !exceedsShare(account),
    ];
    for (const may of mayEvict)
      for (const [id, entry] of others) {
        if (bytes <= this.#budgetBytes) return true;
        if (!this.#loaded.has(id) || !may(entry)) continue;
        this.#loaded.delete(id);
        bytes -= entry.mirror.bytes;
        add(entry.account, -entry.mirror.bytes);
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
  const mirror = await serving.mirrors.open(project, clock.leftMs());
  const budget = new CallBudget(project.account_id, clock.leftMs);
  const view = await mirror?.view(model, budget.share(viewShare));
  return view && { ...view, late: serving.takenItems.addTo(project, model, view.late) };
}
