import { latestTs } from '../../datasets/event-times.ts';
import { type DatasetLocation, isSameDataset } from '../../datasets/rows/datasets.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';

/** An event of one of the items that were asked for. */
export interface ItemTaker {
  readonly item_id: string;
  readonly user_id: string;
}

interface TakersRequest {
  readonly itemIds: readonly string[];
  readonly eventType: string;
  readonly fromTs: number;
  /** How many events are looked at, the newest first. */
  readonly maxEvents: number;
  /** How many are returned. */
  readonly maxTakers: number;
}

/** Who had events of a type with these items, newest first. Looks at the newest events of the dataset, in the index by time. */
export async function readItemTakers(
  db: Queryable,
  { id, key, table }: DatasetLocation,
  { itemIds, eventType, fromTs, maxEvents, maxTakers }: TakersRequest,
): Promise<ItemTaker[]> {
  return db.rows<ItemTaker>(
    {
      name: `read_item_takers_${table}`,
      text: `SELECT newest.item_id, newest.user_id FROM (
          SELECT item_id, user_id, event_type, ts FROM ${table}
          WHERE dataset_key = $1 AND ts > $2 AND ts <= $8 AND ${isSameDataset('$1', '$7')} ORDER BY ts DESC LIMIT $3) newest
        JOIN unnest($4::text[]) AS asked (item_id) ON asked.item_id = newest.item_id
        WHERE newest.event_type = $5 ORDER BY newest.ts DESC, newest.item_id, newest.user_id LIMIT $6`,
    },
    [key, fromTs, maxEvents, itemIds, eventType, maxTakers, id, latestTs()],
  );
}

/** The items of each user's newest `maxEvents` events, of one type, in the order of `userIds`. Only from the index by user. */
export async function readTakenItems(
  db: Queryable,
  { id, key, table }: DatasetLocation,
  { userIds, eventType, maxEvents }: { userIds: readonly string[]; eventType: string; maxEvents: number },
): Promise<string[][]> {
  const rows = await db.rows<{ items: string | null }>(
    {
      name: `read_taken_items_${table}`,
      text: `SELECT (SELECT string_agg(e.item_id, E'\\x1f') FROM (
          SELECT item_id, event_type FROM ${table} WHERE dataset_key = $1 AND user_id = asked.user_id AND ts <= $6
          ORDER BY ts DESC, item_id, event_type LIMIT $4) e WHERE e.event_type = $3) AS items
        FROM unnest($2::text[]) WITH ORDINALITY AS asked (user_id, place)
        WHERE ${isSameDataset('$1', '$5')} ORDER BY asked.place`,
    },
    [key, userIds, eventType, maxEvents, id, latestTs()],
  );
  return rows.map(({ items }) => items?.split('\u001f') ?? []);
}
