import type { Interactions } from './interactions.ts';

/**
 * The items whose newest event from `from` to `to` is of a negative type. Any later event with the item withdraws the
 * dislike. Events are oldest first.
 */
export function dislikedItems(
  { item, type }: Pick<Interactions, 'item' | 'type'>,
  negativeTypes: readonly number[],
  from = 0,
  to = item.length,
): Set<number> {
  const disliked = new Set<number>();
  if (negativeTypes.length === 0) return disliked;
  for (let event = from; event < to; event++)
    if (negativeTypes.includes(type[event]!)) disliked.add(item[event]!);
    else disliked.delete(item[event]!);
  return disliked;
}
