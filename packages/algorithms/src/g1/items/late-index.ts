import type { LateItems } from '../../scorer.ts';

/** The constant, which every item with features has. */
const constant = 0;

/** Late items by feature, so that those with a high score are found without adding up the features of all. */
export class LateIndex {
  readonly #late: LateItems;
  /** The late items with feature f: `#place` from #offsets[f] to #offsets[f + 1]. */
  readonly #offsets: Uint32Array;
  readonly #place: Uint32Array;
  /** The most features of one item, besides the constant. */
  readonly #most: number;
  /** By late item: the last search that found it. */
  readonly #found: Uint32Array;
  #searches = 0;

  constructor(late: LateItems, features: number) {
    const { count, offsets, feature } = late;
    this.#late = late;
    this.#found = new Uint32Array(count);
    const ends = new Uint32Array(features + 1);
    let most = 0;
    for (let place = 0; place < count; place++) most = Math.max(most, offsets[place + 1]! - offsets[place]!);
    this.#most = Math.max(0, most - 1);
    const cells = offsets[count]!;
    for (let cell = 0; cell < cells; cell++) if (feature[cell] !== constant) ends[feature[cell]! + 1]!++;
    for (let index = 0; index < features; index++) ends[index + 1]! += ends[index]!;
    this.#offsets = ends.slice();
    this.#place = new Uint32Array(ends[features]!);
    for (let place = 0; place < count; place++)
      for (let cell = offsets[place]!; cell < offsets[place + 1]!; cell++)
        if (feature[cell] !== constant) this.#place[ends[feature[cell]!]!++] = place;
  }

  isOf({ count, offsets, feature }: LateItems): boolean {
    const own = this.#late;
    return own.feature === feature && own.offsets === offsets && own.count === count;
  }

  /**
   * Calls `visit` once for every item whose features may add up to `least` or more, and for few others, but not for those
   * at the places `without`. `sums` is what each feature adds. Returns false, without a call, if it would call it for most items.
   */
  visitAtLeast(
    least: number,
    sums: Float64Array,
    without: Uint32Array,
    visit: (place: number) => void,
  ): boolean {
    const needed = least - sums[constant]!;
    if (!(needed > 0)) return false;
    const threshold = lowestUseful(sums, needed, this.#most);
    if (threshold === undefined) return true;
    let visits = 0;
    for (let feature = 1; feature < sums.length; feature++)
      if (sums[feature]! >= threshold) visits += this.#offsets[feature + 1]! - this.#offsets[feature]!;
    if (2 * visits > this.#late.count) return false;
    const search = ++this.#searches;
    for (const place of without) this.#found[place] = search;
    for (let feature = 1; feature < sums.length; feature++) {
      if (!(sums[feature]! >= threshold)) continue;
      const end = this.#offsets[feature + 1]!;
      for (let cell = this.#offsets[feature]!; cell < end; cell++) {
        const place = this.#place[cell]!;
        if (this.#found[place] === search) continue;
        this.#found[place] = search;
        visit(place);
      }
    }
    return true;
  }
}

/** An item that has only features below this value cannot reach `needed` with `most` of them. Undefined if no item can at all. */
function lowestUseful(sums: Float64Array, needed: number, most: number): number | undefined {
  const values = sums
    .subarray(1)
    .filter((value) => value > 0)
    .sort()
    .reverse();
  let window = 0;
  for (let place = 0; place < Math.min(most, values.length); place++) window += values[place]!;
  let first = 0;
  while (window >= needed && first < values.length) {
    window += (values[first + most] ?? 0) - values[first]!;
    first++;
  }
  return first === 0 ? undefined : values[first - 1];
}
