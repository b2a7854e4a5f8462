import { latestTs } from '../../datasets/event-times.ts';
import { type DatasetLocation, isSameDataset } from '../../datasets/rows/datasets.ts';
import { parseJson } from '../../kernel/lib/json.ts';
import { slices } from '../../kernel/lib/slices.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { statement, value } from '../../kernel/postgres/statement.ts';
import type { UserRecord } from '../../models/loaded-model.ts';
import type { DeployedModel } from '../../projects/rows/deployments.ts';

/** Where a recommendation call reads from. Fixed when the project is created. */
export interface ServedProject {
  readonly project_key: number;
  readonly project_id: string;
  readonly account_id: string;
  readonly target_event_type: string;
  readonly users: DatasetLocation;
  readonly items: DatasetLocation;
  readonly events: DatasetLocation;
}

/** The deployed models, and their limit in queries per second. */
export interface ServedDeployment {
  readonly generator: DeployedModel;
  readonly ranker: DeployedModel | null;
  readonly qps: number;
  /** The running experiment of calls without a scenario. */
  readonly experiment_id?: string | null;
}

/** The event types by which users reject an item. */
interface Rejections {
  readonly negative_event_types: readonly string[];
}

/** The current state of a user. */
export interface KnownUser extends UserRecord, Rejections {}

/** The columns of `knownColumns`. Events are one text, with a separator that no ID, type or number can contain. */
export interface KnownRow {
  /** As text: the driver would parse the records of all rows in one go, of up to 256 KiB each. */
  readonly attributes: string | null;
  readonly events: string | null;
}

/** Converts rows to users. Parses in time slices, since records may be large. */
export async function toKnownUsers(
  accountId: string,
  rows: readonly (KnownRow & Partial<Rejections>)[],
): Promise<KnownUser[]> {
  const users: KnownUser[] = [];
  const negative_event_types = rows[0]?.negative_event_types ?? [];
  await slices.forEach(accountId, rows, ({ attributes, events }) =>
    users.push({
      attributes: toAttributes(attributes),
      events: events === null ? [] : events.split('\u001f'),
      negative_event_types,
    }),
  );
  return users;
}

const toAttributes = (json: string | null) =>
  json === null ? null : (parseJson(json) as Record<string, unknown>);

/** The longest history that a model uses: see longestHistory in algorithms. */
export const maxHistoryEvents = 1000;

/** SQL: the names of the parameters that `knownColumns` reads from. */
interface KnownParameters {
  readonly users: { readonly partition: string; readonly key: string };
  readonly events: { readonly partition: string; readonly key: string };
  readonly userId: string;
  /** Events after it are left out. */
  readonly untilTs: string;
}

/**
 * SQL: a user's record by primary key, and newest events by an index-only scan of events_by_user. The functions have one
 * plan per partition, so the statement is the same for all projects.
 */
export const knownColumns = ({ users, events, userId, untilTs }: KnownParameters) =>
  `read_user_record(${users.partition}, ${users.key}, ${userId}) AS attributes,
  read_user_history(${events.partition}, ${events.key}, ${userId}, ${untilTs}, ${maxHistoryEvents}) AS events`;

/** SQL: the ID of the running experiment of a scenario, by experiments_running. Null if there is none. */
export const runningExperiment = (projectKey: string, scenario: string) =>
  `(SELECT x.experiment_id FROM experiments x
    WHERE x.project_key = ${projectKey} AND x.scenario = ${scenario} AND x.stopped_at IS NULL)`;

const readKnownStatement = statement(
  'read_known_users',
  `SELECT ${knownColumns({ users: { partition: '$1', key: '$2' }, events: { partition: '$3', key: '$4' }, userId: 'asked.user_id', untilTs: '$7' })},
      CASE WHEN asked.place = 1 THEN (SELECT p.negative_event_types FROM projects p WHERE p.project_key = $6) END
        AS negative_event_types
    FROM unnest($5::text[]) WITH ORDINALITY AS asked (user_id, place) ORDER BY asked.place`,
);

/** Each user's state, in the order of `userIds`, whatever is deployed. With `untilTs`, the events until then, and today's attributes. */
export async function readKnownUsers(
  db: Queryable,
  { users, events, account_id, project_key }: ServedProject,
  userIds: readonly string[],
  untilTs = latestTs(),
): Promise<KnownUser[]> {
  const values = [users.partition, users.key, events.partition, events.key, userIds, project_key, untilTs];
  return toKnownUsers(account_id, await db.rows<KnownRow & Rejections>(readKnownStatement, values));
}

/** By primary key. Undefined if nothing is deployed. */
export const readDeployedQps = value<[project: ServedProject], number>(
  'read_deployed_qps',
  `SELECT d.qps FROM deployments d JOIN projects p USING (project_key)
    WHERE d.project_key = $1 AND p.project_id = $2`,
  ({ project_key, project_id }) => [project_key, project_id],
);

/** Attributes of users, by primary key, in the order of `userIds`; null without a record. */
export async function readUserAttributes(
  db: Queryable,
  { users, account_id }: ServedProject,
  userIds: readonly string[],
): Promise<(Record<string, unknown> | null)[]> {
  const rows = await db.rows<{ user_id: string; attributes: string }>(
    {
      name: `read_user_attributes_${users.table}`,
      text: `SELECT user_id, attributes::text FROM ${users.table} WHERE dataset_key = $1 AND user_id = ANY($2::text[])
        AND ${isSameDataset('$1', '$3')}`,
    },
    [users.key, userIds, users.id],
  );
  const found = new Map<string, Record<string, unknown> | null>();
  await slices.forEach(account_id, rows, ({ user_id, attributes }) =>
    found.set(user_id, toAttributes(attributes)),
  );
  return userIds.map((userId) => found.get(userId) ?? null);
}

/** The items among `ids` that the user has an event of these types with, however old. Scans the user's events by index. */
export async function readSeenItems(
  db: Queryable,
  { events }: ServedProject,
  userId: string,
  eventTypes: readonly string[],
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.rows<{ item_id: string }>(
    {
      name: `read_seen_${events.table}`,
      text: `SELECT DISTINCT item_id FROM ${events.table}
        WHERE dataset_key = $1 AND user_id = $2 AND event_type = ANY($3::text[]) AND item_id = ANY($4::text[]) AND ts <= $5`,
    },
    [events.key, userId, eventTypes, ids, latestTs()],
  );
  return new Set(rows.map((row) => row.item_id));
}
