import { invalidField } from '../../http/api-error.ts';
import { within } from '../../kernel/lib/within.ts';
import type { CallBudget } from '../call-budget.ts';
import { type ItemRecords, trimRecord } from '../item-record.ts';
import type { Placement } from '../placement.ts';
import type { Candidate } from '../search/candidates.ts';
import type { FoundItem } from '../search/item-finder.ts';
import { fieldsOf, type Search } from '../search/search-catalogue.ts';

/** The pinned items by position, of the first page only. Throws an ApiError if two pins have the same position or item. */
export function pinnedItems(
  request: Pick<Placement, 'pins' | 'limit' | 'cursor' | 'exclude_item_ids'>,
): ReadonlyMap<number, string> {
  const { pins, limit, cursor, exclude_item_ids } = request;
  for (const field of ['position', 'item_id'] as const) {
    const known = new Set<number | string>();
    for (const [place, pin] of pins.entries()) {
      if (known.has(pin[field]))
        throw invalidField(`pins.${place}.${field}`, 'is the same as in an earlier pin');
      known.add(pin[field]);
    }
  }
  if (cursor !== undefined) return new Map();
  const excluded = new Set(exclude_item_ids);
  return new Map(
    pins
      .filter(({ position, item_id }) => position <= limit && !excluded.has(item_id))
      .map(({ position, item_id }) => [position, item_id]),
  );
}

/** The pinned items that have a record, by position. */
export async function readPinned(
  search: Pick<Search, 'request' | 'filter' | 'mark' | 'markedAttributes' | 'reads' | 'mirror' | 'leftMs'>,
  pins: ReadonlyMap<number, string>,
  candidateOf: (itemId: string) => Candidate,
  budget: CallBudget,
): Promise<ReadonlyMap<number, FoundItem>> {
  const records = await readRecords(search, [...pins.values()]);
  const found = new Map<number, FoundItem>();
  for (const [position, itemId] of pins) {
    const item = records.get(itemId);
    if (!item?.isRead) continue;
    budget.spendRead(item.length);
    budget.spendParse(item.length);
    const marks = search.mark?.(item.attributes, itemId, budget);
    const candidate = candidateOf(itemId);
    const { attributes, length } = trimRecord(item, search.request.attributes);
    found.set(position, {
      candidate: { ...candidate, score: candidate.score * (marks?.factor ?? 1) },
      attributes,
      length,
      marks,
    });
  }
  return found;
}

async function readRecords(
  search: Parameters<typeof readPinned>[0],
  ids: readonly string[],
): Promise<ItemRecords> {
  if (ids.length === 0) return new Map();
  if (search.mirror) return search.mirror;
  const fields = fieldsOf(search);
  const read = (ownStatement: boolean) =>
    within(search.leftMs(), search.reads.items({ ids, fields, ownStatement }));
  const records = await read(false);
  // In a shared statement, records of other calls may have left no room. A statement for this call alone has room for all.
  return ids.some((id) => records.get(id)?.isRead === false) ? read(true) : records;
}
