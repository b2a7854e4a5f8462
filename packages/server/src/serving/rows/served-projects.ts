import type { DatasetKind } from '@tastegraph/contract';
import { type DatasetLocation, partitionTable } from '../../datasets/rows/datasets.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { one, statement, value } from '../../kernel/postgres/statement.ts';
import type { DeployedModel } from '../../projects/rows/deployments.ts';
import { defaultProjectOf } from '../../projects/rows/projects.ts';
import type { ServedProject } from './serving-reads.ts';

type StoredLocation = Omit<DatasetLocation, 'table'>;

type Row = Omit<ServedProject, 'users' | 'items' | 'events'> &
  Readonly<Record<'users' | 'items' | 'events', StoredLocation>>;

const locationIn = (alias: string) =>
  `json_build_object('id', ${alias}.dataset_id, 'key', ${alias}.dataset_key, 'partition', ${alias}.partition)`;

const select = `SELECT p.project_key, p.project_id, p.account_id, p.target_event_type,
      ${locationIn('u')} AS users, ${locationIn('i')} AS items, ${locationIn('e')} AS events
    FROM projects p
      JOIN datasets u ON u.dataset_key = p.user_dataset_key
      JOIN datasets i ON i.dataset_key = p.item_dataset_key
      JOIN datasets e ON e.dataset_key = p.event_dataset_key`;

const findStatement = statement(
  'find_served_project',
  `${select} WHERE p.project_id = $1 AND p.account_id = $2`,
);

/** Uses the unique index on project_id, then checks the account: another account's project is not found. */
export async function findServedProject(
  db: Queryable,
  accountId: string,
  projectId: string,
): Promise<ServedProject | undefined> {
  const [row] = await db.rows<Row>(findStatement, [projectId, accountId]);
  return row && withTables(row);
}

const findByKeyStatement = statement(
  'find_served_project_by_key',
  `${select} WHERE p.project_key = $1 AND p.account_id = $2`,
);

/** Uses the primary key, then checks the account. */
export async function findServedProjectByKey(
  db: Queryable,
  accountId: string,
  projectKey: number,
): Promise<ServedProject | undefined> {
  const [row] = await db.rows<Row>(findByKeyStatement, [projectKey, accountId]);
  return row && withTables(row);
}

function withTables({ users, items, events, ...project }: Row): ServedProject {
  const locate = (kind: DatasetKind, stored: StoredLocation) => ({
    ...stored,
    table: partitionTable({ kind, partition: stored.partition }),
  });
  return {
    ...project,
    users: locate('user', users),
    items: locate('item', items),
    events: locate('event', events),
  };
}

/** The project of calls that name none. Undefined if the account has chosen none and never deployed one. */
export const findDefaultProject = value<[accountId: string], string>(
  'find_default_project',
  `SELECT p.project_id FROM projects p WHERE p.project_key = (${defaultProjectOf('$1')})`,
);

/** By the unique index on model_id. Undefined if it is not a model of the project. */
export const findServedModel = one<[project: ServedProject, modelId: string], DeployedModel>(
  'find_served_model',
  `SELECT m.model_key, m.model_id, m.object_key, m.object_size::float8 AS size, m.object_sha256 AS sha256
    FROM models m JOIN projects p USING (project_key)
    WHERE m.model_id = $1 AND m.project_key = $2 AND p.project_id = $3 AND p.account_id = $4`,
  ({ project_key, project_id, account_id }, modelId) => [modelId, project_key, project_id, account_id],
);
