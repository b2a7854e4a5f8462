import { JobError } from '../jobs/engine/job-error.ts';
import { decodeText } from '../kernel/postgres/copy-rows.ts';

/** Ten times what the algorithms are made for, and less than the limit of a Map (16.7 million). */
const maxItems = 10_000_000;

/** Numbers items as they occur. Keyed by the bytes of their IDs, one character per byte, as they come from COPY. */
export class ItemNumbers {
  readonly #numbers = new Map<string, number>();
  readonly ids: string[] = [];

  of(bytes: string): number {
    return this.#numbers.get(bytes) ?? this.#add(bytes);
  }

  #add(bytes: string): number {
    if (this.ids.length === maxItems)
      throw new JobError(
        'TOO_MANY_ITEMS',
        `The item dataset and the events together have more than ${maxItems.toLocaleString('en')} items, the most a model can hold. Check that several events share an item_id: it must identify a product or an article, not a single visit or order. Delete items that do not need to be recommended, and their events.`,
      );
    const id = decodeText(bytes);
    // For most IDs, bytes and characters are the same, so that one string serves as both.
    const key = id.length === bytes.length ? id : Buffer.from(bytes, 'latin1').toString('latin1');
    this.#numbers.set(key, this.ids.length);
    return this.ids.push(id) - 1;
  }
}
