import { decodeText } from '../../storage/postgres/copy-rows.ts';
import { JobError } from '../job-error.ts';

/** Ten times what G1 is made for, and less than what a Map holds (16.7 million). */
const mostItems = 10_000_000;

/** Numbers items as they are met. Looks them up by the bytes of their ids, a character each, as COPY gives them. */
export class ItemNumbers {
  readonly #numbers = new Map<string, number>();
  readonly ids: string[] = [];

  of(bytes: string): number {
    return this.#numbers.get(bytes) ?? this.#add(bytes);
  }

  #add(bytes: string): number {
    if (this.ids.length === mostItems)
      throw new JobError(
        'TOO_MANY_ITEMS',
        `There are more than ${mostItems.toLocaleString('en')} items in the item dataset and the events together, which is the most a model can hold. Check that item_id names things that several users may have, and not single occurrences; delete events and items that nobody needs recommended.`,
      );
    const id = decodeText(bytes);
    // For most ids bytes and characters are the same, and one string does for both.
    const key = id.length === bytes.length ? id : Buffer.from(bytes, 'latin1').toString('latin1');
    this.#numbers.set(key, this.ids.length);
    return this.ids.push(id) - 1;
  }
}
