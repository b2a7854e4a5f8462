import { hashText } from '../../kernel/lib/hashes.ts';
import { eventFields } from '../../models/loaded-model.ts';
import type { Placement } from '../placement.ts';
import type { KnownUser } from '../rows/serving-reads.ts';

/** Whether a call must not return the item. Undefined: it may return all, except for what the model excludes as seen. */
export type IsExcluded = ((itemId: string) => boolean) | undefined;

type Excluding = Pick<
  Placement,
  'exclude_item_ids' | 'exclude_seen' | 'exclude_event_types' | 'context_items'
>;

/** The items whose newest event is negative. A model knows only its own items, and the event types of its training. */
function dislikedItems(events: KnownUser['events'], negativeTypes: readonly string[]): Set<string> {
  const disliked = new Set<string>();
  if (negativeTypes.length === 0) return disliked;
  const known = new Set<string>();
  for (let field = 0; field < events.length; field += eventFields) {
    const id = events[field] ?? '';
    if (!known.has(id) && negativeTypes.includes(events[field + 1] ?? '')) disliked.add(id);
    known.add(id);
  }
  return disliked;
}

/** The items with an event of one of the types. */
export function itemsOf(events: KnownUser['events'], types: readonly string[]): string[] {
  const items: string[] = [];
  for (let field = 0; field < events.length; field += eventFields)
    if (types.includes(events[field + 1] ?? '')) items.push(events[field] ?? '');
  return items;
}

/** `shown` are the hashes of the items on earlier pages, `leftOut` what the question itself leaves out. */
export function exclusionsOf(
  { exclude_item_ids, exclude_seen, exclude_event_types, context_items }: Excluding,
  { events, negative_event_types }: Pick<KnownUser, 'events' | 'negative_event_types'>,
  { shown, leftOut }: { readonly shown: ReadonlySet<number>; readonly leftOut: readonly string[] },
): IsExcluded {
  const ids = new Set([...exclude_item_ids, ...leftOut]);
  if (exclude_seen) for (const id of context_items) ids.add(id);
  if (exclude_seen && exclude_event_types) for (const id of itemsOf(events, exclude_event_types)) ids.add(id);
  for (const id of dislikedItems(events, negative_event_types)) if (!context_items.includes(id)) ids.add(id);
  if (shown.size > 0) return (id) => ids.has(id) || shown.has(hashText(id));
  return ids.size > 0 ? (id) => ids.has(id) : undefined;
}
