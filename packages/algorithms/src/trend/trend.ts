import { TopK } from '../lib/top-k.ts';
import { sliceEnds, sliceStart } from './slices.ts';

/** The events of one type: how often each item occurs in each slice of time. */
interface TypeCounts {
  /** Ascending; parallel to `item` and `count`. */
  readonly slice: readonly number[];
  readonly item: readonly number[];
  readonly count: readonly number[];
}

export interface TrendingItem {
  readonly itemId: string;
  /** The number of events in the window; an estimate where events were sampled. */
  readonly score: number;
}

/** Memory per distinct item, with its ID, and per count. */
const itemBytes = 100;
const countBytes = 24;

/** Past events, counted by item, type and time. Never changes once it is built. */
export class Trend {
  readonly #ids: readonly string[];
  readonly #types: ReadonlyMap<string, TypeCounts>;

  constructor(ids: readonly string[], types: ReadonlyMap<string, TypeCounts>) {
    this.#ids = ids;
    this.#types = types;
  }

  /** Approximate memory. */
  get bytes(): number {
    const counts = [...this.#types.values()].reduce((sum, { slice }) => sum + slice.length, 0);
    return this.#ids.length * itemBytes + counts * countBytes;
  }

  /** The items with the most events of the type in the last `hours`, at most `n`. */
  top(type: string, hours: number, n: number): TrendingItem[] {
    const counts = this.#types.get(type);
    if (!counts) return [];
    const sums = new Float64Array(this.#ids.length);
    for (const [place, slice] of counts.slice.entries()) {
      const start = sliceStart(slice);
      if (start >= hours) break;
      // A window that ends inside a slice gets a proportional share of it.
      const share = Math.min(1, (hours - start) / (sliceEnds[slice]! - start));
      sums[counts.item[place]!]! += share * counts.count[place]!;
    }
    return best(sums.entries(), n).map(({ item, score }) => ({ itemId: this.#ids[item]!, score }));
  }

  /** The counts of a type, by slice. */
  countsOf(type: string): TypeCounts | undefined {
    return this.#types.get(type);
  }
}

/** Collects the counts of a trend, slice by slice, the newest first. */
export class TrendBuilder {
  readonly #ids: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #types = new Map<string, { slice: number[]; item: number[]; count: number[] }>();

  add(slice: number, type: string, itemId: string, count: number): void {
    let item = this.#numbers.get(itemId);
    if (item === undefined) {
      item = this.#ids.length;
      this.#numbers.set(itemId, item);
      this.#ids.push(itemId);
    }
    const counts = this.#types.get(type) ?? { slice: [], item: [], count: [] };
    this.#types.set(type, counts);
    counts.slice.push(slice);
    counts.item.push(item);
    counts.count.push(count);
  }

  build(): Trend {
    return new Trend(this.#ids, this.#types);
  }
}

export function add(sums: Map<number, number>, item: number, count: number): void {
  sums.set(item, (sums.get(item) ?? 0) + count);
}

/** The items with the largest sums. */
export function best(
  sums: Iterable<readonly [item: number, sum: number]>,
  n: number,
): { item: number; score: number }[] {
  const top = new TopK(n);
  for (const [item, sum] of sums) if (sum > 0) top.offer(item, sum);
  top.sort();
  return Array.from({ length: top.size }, (_, place) => ({
    item: top.indices[place]!,
    score: top.scores[place]!,
  }));
}
