import { TopK } from '../../lib/top-k.ts';
import { type Scratch, seenBit } from './scratch.ts';

/** How many of the best items get the parts of a score that would cost too much for all items. */
export const bestItems = 200;

/** The items that get those parts: the best by M. Depends only on the model and the user, never on a mask or a page. */
export class BestItems {
  readonly #best: TopK;

  /** `best` are the best of all items with a positive score. */
  constructor(best: TopK) {
    this.#best = best;
  }

  /** Whether an item with this score by M is one of them, or would be if the user had not seen it. */
  includes(item: number, score: number): boolean {
    return score > 0 && this.#best.takes(item, score);
  }

  get items(): Uint32Array {
    return this.#best.indices.subarray(0, this.#best.size);
  }
}

/** Of the first `size` items that were reached, without those in `shown`, which the user has seen. `best` is reused. */
export function findBest(
  { touched, score, state }: Scratch,
  size: number,
  shown: ReadonlySet<number>,
  best = new TopK(bestItems),
): BestItems {
  best.clear();
  const { scores } = best;
  // Rejects most items without a call.
  let floor = 0;
  for (let place = 0; place < size; place++) {
    const item = touched[place]!;
    const total = score[item]!;
    if (!(total > 0) || total < floor || state[item]! & seenBit) continue;
    if (shown.size > 0 && shown.has(item)) continue;
    best.offer(item, total);
    if (best.size === bestItems) floor = scores[0]!;
  }
  return new BestItems(best);
}
