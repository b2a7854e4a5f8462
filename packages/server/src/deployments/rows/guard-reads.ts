import type { Queryable } from '../../kernel/postgres/pool.ts';
import type { ServedProject } from '../../serving/rows/serving-reads.ts';

export interface NewEvent {
  readonly user_id: string;
  readonly item_id: string;
  readonly ts: number;
}

/** The newest target events after `sinceTs`, newest first. Scans events_by_ts from its end. */
export async function listNewTargetEvents(
  db: Queryable,
  { events, target_event_type }: ServedProject,
  sinceTs: number,
  limit: number,
): Promise<NewEvent[]> {
  return db.rows(
    {
      name: `list_new_target_events_${events.table}`,
      text: `SELECT user_id, item_id, ts::float8 AS ts FROM ${events.table}
        WHERE dataset_key = $1 AND ts > $2 AND event_type = $3 ORDER BY ts DESC LIMIT $4`,
    },
    [events.key, sinceTs, target_event_type, limit],
  );
}

/** Which of the items have a record. By primary key. */
export async function findRecordedItems(
  db: Queryable,
  { items }: ServedProject,
  itemIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.rows<{ item_id: string }>(
    {
      name: `find_recorded_items_${items.table}`,
      text: `SELECT item_id FROM ${items.table} WHERE dataset_key = $1 AND item_id = ANY($2::text[])`,
    },
    [items.key, itemIds],
  );
  return new Set(rows.map(({ item_id }) => item_id));
}
