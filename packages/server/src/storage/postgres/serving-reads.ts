import type { Queryable } from './pool.ts';

/** Where the live reads of a project's recommendation call go. All of it is fixed when the project is created. */
export interface ServedProject {
  readonly project_key: number;
  readonly project_id: string;
  readonly target_event_type: string;
  readonly users: { readonly key: number; readonly table: string };
  readonly items: { readonly key: number; readonly table: string };
  readonly events: { readonly key: number; readonly table: string };
}

export interface DeployedModel {
  readonly model_key: number;
  readonly object_key: string;
  readonly size: number;
  readonly sha256: string;
}

/** Which models are to judge, and how often they may be asked. */
export interface Deployed {
  readonly generator: DeployedModel;
  readonly ranker: DeployedModel | null;
  readonly qps: number;
}

/** What is known of a user at this moment. */
export interface KnownUser {
  readonly attributes: Record<string, unknown> | null;
  /** Newest first: item, type and value of each, one after the other. */
  readonly events: readonly string[];
}

/** Fields of an event in `KnownUser.events`. */
export const eventFields = 3;

/** The columns of `knownColumns`: events in one text, between separators that no id, type or number can hold. */
export type KnownRow = Pick<KnownUser, 'attributes'> & { readonly events: string | null };

export const toKnownUser = ({ attributes, events }: KnownRow): KnownUser => ({
  attributes,
  events: events === null ? [] : events.split('\u001f'),
});

/** A model uses no more of a history: see longestHistory in algorithms. */
export const newestEvents = 1000;

/** A model as one column; null for one that is not there. */
export const modelColumn = (
  alias: string,
) => `CASE WHEN ${alias}.model_key IS NOT NULL THEN json_build_object(
  'model_key', ${alias}.model_key, 'object_key', ${alias}.object_key, 'size', ${alias}.object_size,
  'sha256', ${alias}.object_sha256) END`;

/**
 * What is known of the user that `userId` stands for, as two columns: the record by primary key, the newest events from
 * events_by_user without touching the table.
 */
export const knownColumns = (
  { users, events }: Pick<ServedProject, 'users' | 'events'>,
  { usersKey, eventsKey, userId }: { usersKey: string; eventsKey: string; userId: string },
) => `(SELECT u.attributes FROM ${users.table} u WHERE u.dataset_key = ${usersKey} AND u.user_id = ${userId}) AS attributes,
  (SELECT string_agg(e.item_id || E'\\x1f' || e.event_type || E'\\x1f' || e.event_value, E'\\x1f') FROM (
    SELECT item_id, event_type, event_value FROM ${events.table} WHERE dataset_key = ${eventsKey} AND user_id = ${userId}
    ORDER BY ts DESC, item_id, event_type LIMIT ${newestEvents}) e) AS events`;

/** The model as JSON in the first row only: it is the same in all. */
const onceColumn = (alias: string) => `CASE WHEN asked.place = 1 THEN ${modelColumn(alias)} END`;

/**
 * Of each user, in the order asked, in one statement, so that a call waits once and many calls can share one; the deployment by
 * primary key. Empty when nothing is deployed.
 */
export async function readUserStates(
  db: Queryable,
  project: ServedProject,
  userIds: readonly string[],
): Promise<(Deployed & KnownUser)[]> {
  const { project_key, users, events } = project;
  const rows = await db.rows<Deployed & KnownRow>(
    {
      name: `read_user_states_${users.table}_${events.table}`,
      text: `SELECT ${onceColumn('g')} AS generator, ${onceColumn('r')} AS ranker, d.qps,
        ${knownColumns(project, { usersKey: '$2', eventsKey: '$3', userId: 'asked.user_id' })}
      FROM deployments d JOIN models g ON g.model_key = d.generator_model_key
        LEFT JOIN models r ON r.model_key = d.ranker_model_key,
        unnest($4::text[]) WITH ORDINALITY AS asked (user_id, place)
      WHERE d.project_key = $1 ORDER BY asked.place`,
    },
    [project_key, users.key, events.key, userIds],
  );
  const [first] = rows;
  if (!first) return [];
  const { generator, ranker, qps } = first;
  return rows.map((row) => ({ generator, ranker, qps, ...toKnownUser(row) }));
}

/** Items' records by primary key; those that are not there are absent. */
export async function readItems(
  db: Queryable,
  { items }: Pick<ServedProject, 'items'>,
  ids: readonly string[],
): Promise<Map<string, Record<string, unknown>>> {
  const rows = await db.rows<{ item_id: string; attributes: Record<string, unknown> }>(
    {
      name: `read_items_${items.table}`,
      text: `SELECT item_id, attributes FROM ${items.table} WHERE dataset_key = $1 AND item_id = ANY($2::text[])`,
    },
    [items.key, ids],
  );
  return new Map(rows.map(({ item_id, attributes }) => [item_id, attributes]));
}

/** Of the user's record alone, by primary key. */
export async function readUserAttributes(
  db: Queryable,
  { users }: ServedProject,
  userId: string,
): Promise<Record<string, unknown> | null> {
  const [row] = await db.rows<{ attributes: Record<string, unknown> }>(
    {
      name: `read_user_attributes_${users.table}`,
      text: `SELECT attributes FROM ${users.table} WHERE dataset_key = $1 AND user_id = $2`,
    },
    [users.key, userId],
  );
  return row?.attributes ?? null;
}

/** A page of the catalogue in the order of ids, by primary key. */
export async function readItemsAfter(
  db: Queryable,
  { items }: Pick<ServedProject, 'items'>,
  afterId: string,
  limit: number,
): Promise<{ item_id: string; attributes: Record<string, unknown> }[]> {
  return db.rows(
    {
      name: `read_items_after_${items.table}`,
      text: `SELECT item_id, attributes FROM ${items.table} WHERE dataset_key = $1 AND item_id > $2
        ORDER BY item_id LIMIT $3`,
    },
    [items.key, afterId, limit],
  );
}

/** Which of these items the user has an event of the type with, however long ago: walks the user's events in their index. */
export async function readSeen(
  db: Queryable,
  { events }: ServedProject,
  userId: string,
  eventType: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.rows<{ item_id: string }>(
    {
      name: `read_seen_${events.table}`,
      text: `SELECT DISTINCT item_id FROM ${events.table}
        WHERE dataset_key = $1 AND user_id = $2 AND event_type = $3 AND item_id = ANY($4::text[])`,
    },
    [events.key, userId, eventType, ids],
  );
  return new Set(rows.map((row) => row.item_id));
}
