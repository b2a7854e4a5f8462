import type { FoundItem, ItemStream } from '../search/item-finder.ts';

/** Items per pull: about what a page needs. */
const pullSize = 100;

/** The items of a stream, kept so that they can be looked at more than once. */
export class Sequence {
  readonly #items: FoundItem[];
  readonly #stream: ItemStream;

  /** `first` come before those of the stream. */
  constructor(first: readonly FoundItem[], stream: ItemStream) {
    this.#items = [...first];
    this.#stream = stream;
  }

  /** The items pulled so far. */
  get pulled(): readonly FoundItem[] {
    return this.#items;
  }

  /** Whether there may be items beyond those pulled. */
  get hasMore(): boolean {
    return !this.#stream.hasEnded;
  }

  /** Undefined beyond the end. */
  async at(place: number): Promise<FoundItem | undefined> {
    while (place >= this.#items.length && this.hasMore)
      this.#items.push(...(await this.#stream.next(pullSize)));
    return this.#items[place];
  }
}

/** Finds the first items that may be taken. What comes before the first one is not looked at again, since it never may be. */
export class Scan {
  readonly #sequence: Sequence;
  readonly #mayTake: (item: FoundItem) => boolean;
  #place = 0;

  constructor(sequence: Sequence, mayTake: (item: FoundItem) => boolean) {
    this.#sequence = sequence;
    this.#mayTake = mayTake;
  }

  /** Of the items pulled so far, which needs no waiting. */
  firstPulled(): FoundItem | undefined {
    const { pulled } = this.#sequence;
    let item = pulled[this.#place];
    while (item && !this.#mayTake(item)) item = pulled[++this.#place];
    return item;
  }

  async first(): Promise<FoundItem | undefined> {
    let item = this.firstPulled();
    while (!item && (await this.#sequence.at(this.#place))) item = this.firstPulled();
    return item;
  }

  /** The first `count` of the items pulled so far; fewer at their end. */
  takePulled(count: number): FoundItem[] {
    const taken: FoundItem[] = [];
    if (!this.firstPulled()) return taken;
    const { pulled } = this.#sequence;
    for (let place = this.#place; place < pulled.length && taken.length < count; place++) {
      const item = pulled[place];
      if (item && this.#mayTake(item)) taken.push(item);
    }
    return taken;
  }

  /** The first `count`; fewer at the end. */
  async take(count: number): Promise<FoundItem[]> {
    let taken = this.takePulled(count);
    while (taken.length < count && (await this.#sequence.at(this.#sequence.pulled.length)))
      taken = this.takePulled(count);
    return taken;
  }
}
