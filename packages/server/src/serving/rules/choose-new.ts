import type { FoundItem } from '../item-finder.ts';
import { fillPage } from './fill-page.ts';
import { newItems } from './reserve.ts';
import { Sequence } from './sequence.ts';

interface NewItemRequest {
  readonly limit: number;
  readonly share: number;
  readonly isNew: (item: number) => boolean;
  readonly random: (position: number) => number;
}

/** The first `limit` items of a page with a share of new items. `pool` and `fresh`, its new items and more, are best first. For benchmarks. */
export async function chooseNew(
  pool: readonly number[],
  fresh: readonly number[],
  { limit, share, isNew, random }: NewItemRequest,
): Promise<number[]> {
  const open = (items: readonly number[]) =>
    new Sequence(items.map(itemOf), { hasEnded: true, next: async () => [] });
  const known = new Set(pool);
  const rest = fresh.filter((item) => !known.has(item));
  const includes = ({ candidate }: FoundItem) => isNew(candidate.number ?? -1);
  const { page } = await fillPage({
    limit,
    sequence: open([...pool, ...rest]),
    pinned: new Map(),
    reservations: [newItems(share, includes, random, () => open(fresh))],
  });
  return page.map(({ candidate }) => candidate.number ?? -1);
}

const itemOf = (number: number): FoundItem => ({
  candidate: { number, itemId: String(number), score: 0, isFilled: false },
  attributes: {},
  length: 0,
  marks: undefined,
});
