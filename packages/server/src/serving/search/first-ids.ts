import { orderTexts } from '../../filters/value.ts';
import { Heap } from '../../kernel/lib/heap.ts';

/** The first `limit` of the IDs that are added, in PostgreSQL's order. There may be a whole catalogue of them. */
export class FirstIds {
  readonly #limit: number;
  /** The last one on top. */
  readonly #heap = new Heap<string>((one, other) => orderTexts(other, one));

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(id: string): void {
    const last = this.#heap.peek();
    if (this.#heap.size === this.#limit && last !== undefined) {
      if (orderTexts(id, last) >= 0) return;
      this.#heap.pop();
    }
    this.#heap.push(id);
  }

  sorted(): string[] {
    const ids: string[] = [];
    for (let id = this.#heap.pop(); id !== undefined; id = this.#heap.pop()) ids.push(id);
    return ids.reverse();
  }
}
