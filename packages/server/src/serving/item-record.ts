import type { StoredItem } from './rows/item-reads.ts';

/** An item's record, from the database or from a mirror. */
export type ItemRecord = Pick<StoredItem, 'attributes' | 'length' | 'isRead'>;

export interface ItemRecords {
  /** `number` is the item's index in the model that the candidates come from, if it has one. */
  get(itemId: string, number?: number): ItemRecord | undefined;
}

/** Records up to this many characters are returned unchanged: even a full response of them is far below its limit. */
const smallRecordLength = 4096;

export const isSmall = ({ length }: Pick<ItemRecord, 'length'>) => length <= smallRecordLength;

/** The part of a record that the response needs, and the length of its JSON: of a large one, the requested attributes. */
export function trimRecord(
  record: Pick<ItemRecord, 'attributes' | 'length'>,
  requested: readonly string[],
): Pick<ItemRecord, 'attributes' | 'length'> {
  if (isSmall(record)) return record;
  const { attributes } = record;
  const kept = Object.fromEntries(
    requested.map((name) => [name, Object.hasOwn(attributes, name) ? attributes[name] : null]),
  );
  return { attributes: kept, length: JSON.stringify(kept).length };
}
