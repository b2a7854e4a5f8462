/** Where an item stands in the row of a user that is being built, so that its events add up in one place. 4 bytes an item. */
export class RowSlots {
  readonly #item: Uint32Array;
  readonly #slot: Uint32Array;

  /** `item` are the columns of all rows, one after the other. */
  constructor(item: Uint32Array, items: number) {
    this.#item = item;
    this.#slot = new Uint32Array(items);
  }

  /** In the row from `start` to `size`; `size`, where it is put then, when it was not there. */
  placeOf(column: number, start: number, size: number): number {
    const place = this.#slot[column]!;
    // A slot left by an earlier user points before this one's start, or at another item.
    if (place >= start && place < size && this.#item[place] === column) return place;
    this.#slot[column] = size;
    this.#item[size] = column;
    return size;
  }
}
