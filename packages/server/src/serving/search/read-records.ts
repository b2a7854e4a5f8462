import { within } from '../../kernel/lib/within.ts';
import type { ItemFields, StoredItem } from '../rows/item-reads.ts';
import type { CallReads } from '../state/live-reads.ts';

/** The most records per statement; fewer if they are large. */
export const pageSize = 1000;

interface RecordPage {
  /** The page has the records of the IDs from `from` up to but not including `to`. */
  readonly from: number;
  readonly to: number;
  readonly records: ReadonlyMap<string, StoredItem>;
}

/** The records of items, in one page if they fit into a statement's bytes. */
export async function* readRecords(
  { reads, leftMs }: { readonly reads: Pick<CallReads, 'items'>; readonly leftMs: () => number },
  ids: readonly string[],
  fields: ItemFields,
): AsyncGenerator<RecordPage, void> {
  let ownStatement = false;
  for (let from = 0, size = pageSize; from < ids.length; ) {
    const page = ids.slice(from, from + size);
    const records = await within(leftMs(), reads.items({ ids: page, fields, ownStatement }));
    const cut = page.findIndex((id) => records.get(id)?.isRead === false);
    const to = from + (cut === -1 ? page.length : cut);
    if (to > from) yield { from, to, records };
    from = to;
    // Ask for a few more than fit this time: in a shared statement, other calls' items may have come first.
    if (cut !== -1) size = Math.max(1, 2 * cut);
    ownStatement = cut === 0;
  }
}
