import { LRUCache } from 'lru-cache';
import { within } from '../../lib/within.ts';
import type { Queryable } from '../../storage/postgres/pool.ts';
import type { ServedProject } from '../../storage/postgres/serving-reads.ts';
import type { Filter } from '../filter/compile-filter.ts';
import { ItemMirror, type Matching, OutdatedError } from './item-mirror.ts';

/** After a load that failed, or had no room: it would hardly be otherwise sooner, and reads a whole dataset. */
const restMs = 30_000;
/** One that was used since is not let go for another: two that do not fit together would turn each other out for ever. */
const inUseMs = 60_000;
/** Of a call's time: what is left serves to do without. */
const syncShare = 0.5;
/** Datasets that rest; forgetting one costs a load in vain. */
const restingMost = 1000;

const noRoom = 'the items take more memory than there is for mirrors';

interface Kept {
  readonly mirror: ItemMirror;
  readonly isReady: boolean;
  readonly usedAt: number;
}

/**
 * Mirrors of the item datasets for which filters are asked that few items match. One is loaded in the background when it is
 * first wanted, and let go when the memory is wanted for another.
 */
export class ItemMirrors {
  readonly #db: Queryable;
  readonly #budgetBytes: number;
  readonly #onFailure: (error: unknown) => void;
  /** By dataset, in the order of their last use; those being loaded too. */
  readonly #kept = new Map<number, Kept>();
  /** One at a time: a load reads as fast as PostgreSQL answers. */
  #isLoading = false;
  readonly #resting = new LRUCache<number, true>({ max: restingMost, ttl: restMs });

  constructor(db: Queryable, budgetBytes: number, onFailure: (error: unknown) => void) {
    this.#db = db;
    this.#budgetBytes = budgetBytes;
    this.#onFailure = onFailure;
  }

  /** Memory they take, about. */
  get bytes(): number {
    return [...this.#kept.values()].reduce((sum, { mirror }) => sum + mirror.bytes, 0);
  }

  /** Whether items can be asked for at once. */
  isReady({ key }: ServedProject['items']): boolean {
    return this.#kept.get(key)?.isReady ?? false;
  }

  /**
   * Which items match now. Undefined when that cannot be said in time: there is no mirror yet, which is then
   * being loaded, or it cannot be kept up. Never throws: who asks can do without.
   */
  async match(
    items: ServedProject['items'],
    filter: Filter,
    leftMs: () => number,
  ): Promise<Matching | undefined> {
    const mirror = this.#find(items);
    if (!mirror || leftMs() <= 0) return undefined;
    try {
      await within(leftMs() * syncShare, mirror.sync());
    } catch (error) {
      if (error instanceof OutdatedError && this.#kept.get(items.key)?.mirror === mirror) {
        this.#kept.delete(items.key);
        this.#find(items);
      }
      return undefined;
    }
    // It may have grown.
    if (!this.#makeRoom(items.key, 0)) this.#giveUp(items.key, new Error(noRoom));
    return mirror.match(filter, leftMs);
  }

  #find(items: ServedProject['items']): ItemMirror | undefined {
    const known = this.#kept.get(items.key);
    if (known) {
      this.#keep(items.key, known.mirror, known.isReady);
      return known.isReady ? known.mirror : undefined;
    }
    if (!this.#isLoading && !this.#resting.has(items.key)) void this.#load(items);
    return undefined;
  }

  #keep(key: number, mirror: ItemMirror, isReady: boolean): void {
    this.#kept.delete(key);
    this.#kept.set(key, { mirror, isReady, usedAt: performance.now() });
  }

  async #load(items: ServedProject['items']): Promise<void> {
    const mirror = new ItemMirror(this.#db, items);
    this.#isLoading = true;
    this.#keep(items.key, mirror, false);
    try {
      await mirror.load(() => {
        if (!this.#makeRoom(items.key, inUseMs)) throw new Error(noRoom);
      });
      this.#keep(items.key, mirror, true);
    } catch (error) {
      this.#giveUp(items.key, error);
    } finally {
      this.#isLoading = false;
    }
  }

  #giveUp(key: number, error: unknown): void {
    this.#kept.delete(key);
    this.#resting.set(key, true);
    this.#onFailure(error);
  }

  /** Lets go of others, those not used for the longest first and not for `unusedMs`; false when that is not enough. */
  #makeRoom(forKey: number, unusedMs: number): boolean {
    const before = performance.now() - unusedMs;
    // One that is being loaded sees to its own room.
    const counted = [...this.#kept].filter(([key, { isReady }]) => isReady || key === forKey);
    let bytes = counted.reduce((sum, [, { mirror }]) => sum + mirror.bytes, 0);
    for (const [key, { mirror, usedAt }] of counted) {
      if (bytes <= this.#budgetBytes) break;
      if (key === forKey || usedAt > before) continue;
      this.#kept.delete(key);
      bytes -= mirror.bytes;
    }
    return bytes <= this.#budgetBytes;
  }
}
