/**
 * Finds an item's place in the row being built, so that a user's events with it add up in one place. 4 bytes per item and thread.
 */
export class RowSlots {
  readonly #item: Uint32Array;
  readonly #slot: Uint32Array;

  /** `item` holds the columns of all rows, in the order of users; there may be gaps between them. */
  constructor(item: Uint32Array, items: number) {
    this.#item = item;
    this.#slot = new Uint32Array(items);
  }

  /** The place of `column` in the row from `start` to `size`. If it is not there yet, adds it at `size`. */
  placeOf(column: number, start: number, size: number): number {
    const place = this.#slot[column]!;
    // A slot left by an earlier user points before this row's start, or at another item.
    if (place >= start && place < size && this.#item[place] === column) return place;
    this.#slot[column] = size;
    this.#item[size] = column;
    return size;
  }
}
