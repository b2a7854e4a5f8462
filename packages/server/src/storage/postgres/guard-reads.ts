import type { Queryable } from './pool.ts';
import {
  type KnownRow,
  type KnownUser,
  maxHistoryEvents,
  type ServedProject,
  toKnownUsers,
} from './serving-reads.ts';

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

/**
 * The state of each user, in the order of `userIds`, as it was at `untilTs`, with today's attributes. Index-only scans of
 * events_by_user.
 */
export async function readUsersAt(
  db: Queryable,
  { users, events, account_id, project_key }: ServedProject,
  userIds: readonly string[],
  untilTs: number,
): Promise<KnownUser[]> {
  const rows = await db.rows<KnownRow>(
    {
      name: `read_users_at_${users.table}_${events.table}`,
      text: `SELECT
          (SELECT u.attributes::text FROM ${users.table} u WHERE u.dataset_key = $1 AND u.user_id = asked.user_id) AS attributes,
          (SELECT string_agg(e.item_id || E'\\x1f' || e.event_type || E'\\x1f' || e.event_value, E'\\x1f') FROM (
            SELECT item_id, event_type, event_value FROM ${events.table}
            WHERE dataset_key = $2 AND user_id = asked.user_id AND ts <= $5
            ORDER BY ts DESC, item_id, event_type LIMIT ${maxHistoryEvents}) e) AS events,
          CASE WHEN asked.place = 1 THEN (SELECT p.negative_event_types FROM projects p WHERE p.project_key = $4) END
            AS negative_event_types
        FROM unnest($3::text[]) WITH ORDINALITY AS asked (user_id, place) ORDER BY asked.place`,
    },
    [users.key, events.key, userIds, project_key, untilTs],
  );
  return toKnownUsers(account_id, rows);
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
