import { latestTs } from '../../datasets/event-times.ts';
import type { DatasetLocation } from '../../datasets/rows/datasets.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { packLists } from '../../kernel/postgres/sql-fragments.ts';
import { statement } from '../../kernel/postgres/statement.ts';
import { modelColumn } from '../../projects/rows/deployments.ts';
import {
  type KnownRow,
  type KnownUser,
  knownColumns,
  runningExperiment,
  type ServedDeployment,
  type ServedProject,
  toKnownUsers,
} from './serving-reads.ts';

/** A user of a project. */
export interface AskedUser {
  readonly project: ServedProject;
  readonly userId: string;
}

/** A user, and what is deployed in the project. */
export type UserState = ServedDeployment & KnownUser;

interface StateRow extends ServedDeployment, KnownRow {
  /** The place of the project, from 1. */
  readonly n: number;
  readonly negative_event_types: readonly string[];
}

/** SQL: only in the first row of a project, since it is the same in all of them. */
const once = (expression: string) => `CASE WHEN asked.place = 1 THEN ${expression} END`;

const readStatement = statement(
  'read_user_states',
  `SELECT project.n::int, ${once(modelColumn('g'))} AS generator, ${once(modelColumn('r'))} AS ranker, d.qps,
      ${once('p.negative_event_types')} AS negative_event_types,
      ${once(runningExperiment('d.project_key', "'default'"))} AS experiment_id,
      ${knownColumns({
        users: { partition: 'project.user_partition', key: 'project.user_key' },
        events: { partition: 'project.event_partition', key: 'project.event_key' },
        userId: 'asked.user_id',
        untilTs: '$10',
      })}
    FROM unnest($1::int[], $2::text[], $3::int[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[]) WITH ORDINALITY
        AS project (project_key, project_id, user_partition, user_key, event_partition, event_key, first, last, n)
      JOIN deployments d USING (project_key)
      JOIN projects p ON p.project_key = d.project_key AND p.project_id = project.project_id
      JOIN models g ON g.model_key = d.generator_model_key
      LEFT JOIN models r ON r.model_key = d.ranker_model_key,
      LATERAL unnest(($9::text[])[project.first:project.last]) WITH ORDINALITY AS asked (user_id, place)
    ORDER BY project.n, asked.place`,
);

/** In the order of `asked`; undefined if nothing is deployed. One statement, so that a call waits once and many can share it. */
export async function readUserStates(
  db: Queryable,
  asked: readonly AskedUser[],
): Promise<(UserState | undefined)[]> {
  const places = asked.map(({ project, userId }, place) => ({ project, userId, place }));
  const groups = [...Map.groupBy(places, ({ project }) => project)];
  const projects = groups.map(([project]) => project);
  const users = packLists(groups.map(([, own]) => own.map(({ userId }) => userId)));
  const rows = await db.rows<StateRow>(readStatement, [
    projects.map(({ project_key }) => project_key),
    projects.map(({ project_id }) => project_id),
    projects.map((project) => project.users.partition),
    projects.map((project) => project.users.key),
    projects.map((project) => project.events.partition),
    projects.map((project) => project.events.key),
    users.firsts,
    users.lasts,
    users.all,
    latestTs(),
  ]);
  const rowsOf = Map.groupBy(rows, ({ n }) => n);
  const states = asked.map((): UserState | undefined => undefined);
  const parsing = groups.map(async ([project, own], index) => {
    const found = rowsOf.get(index + 1) ?? [];
    const [first] = found;
    if (!first) return;
    const { generator, ranker, qps, experiment_id = null } = first;
    const known = await toKnownUsers(project.account_id, found);
    for (const [n, user] of known.entries()) {
      const place = own[n]?.place;
      if (place !== undefined) states[place] = { generator, ranker, qps, experiment_id, ...user };
    }
  });
  await Promise.all(parsing);
  return states;
}

/** The next users with events, in byte order of IDs: one lookup in events_by_user for each, however many events it has. */
export async function listActiveUsers(
  db: Queryable,
  { table, key }: DatasetLocation,
  after: string,
  limit: number,
): Promise<string[]> {
  const next = (previous: string) =>
    `SELECT user_id FROM ${table} WHERE dataset_key = $1 AND user_id > ${previous} AND ts <= $4 ORDER BY user_id LIMIT 1`;
  const rows = await db.rows<{ user_id: string }>(
    {
      name: `list_active_users_${table}`,
      text: `WITH RECURSIVE active (user_id, place) AS (
          (SELECT user_id, 1 FROM (${next('$2')}) first)
        UNION ALL
          SELECT following.user_id, place + 1 FROM active, LATERAL (${next('active.user_id')}) following
          WHERE place < $3
        )
        SELECT user_id FROM active ORDER BY place`,
    },
    [key, after, limit, latestTs()],
  );
  return rows.map(({ user_id }) => user_id);
}
