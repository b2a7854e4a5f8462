import { eventFields, type KnownUser } from '../storage/postgres/serving-reads.ts';
import { hashItem } from './item-hash.ts';
import type { Placement } from './placement.ts';

/** Whether a call must not return the item. Undefined: it may return all, except for what the model excludes as seen. */
export type IsExcluded = ((itemId: string) => boolean) | undefined;

type Excluding = Pick<
  Placement,
  'exclude_item_ids' | 'exclude_seen' | 'exclude_event_types' | 'context_items'
>;

/** `shown` are the hashes of the items on earlier pages, `leftOut` what the question itself leaves out. */
export function exclusionsOf(
  { exclude_item_ids, exclude_seen, exclude_event_types, context_items }: Excluding,
  { events }: Pick<KnownUser, 'events'>,
  { shown, leftOut }: { readonly shown: ReadonlySet<number>; readonly leftOut: readonly string[] },
): IsExcluded {
  const ids = new Set([...exclude_item_ids, ...leftOut]);
  if (exclude_seen) for (const id of context_items) ids.add(id);
  if (exclude_seen && exclude_event_types)
    for (let field = 0; field < events.length; field += eventFields)
      if (exclude_event_types.includes(events[field + 1] ?? '')) ids.add(events[field] ?? '');
  if (shown.size > 0) return (id) => ids.has(id) || shown.has(hashItem(id));
  return ids.size > 0 ? (id) => ids.has(id) : undefined;
}
