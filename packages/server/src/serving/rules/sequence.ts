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
