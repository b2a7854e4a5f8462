import { partitionTable } from '../../datasets/rows/datasets.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { one, statement, value } from '../../kernel/postgres/statement.ts';
import type { DeployedModel } from '../../projects/rows/deployments.ts';
import { defaultProjectOf } from '../../projects/rows/projects.ts';
import type { ServedProject } from './serving-reads.ts';

interface Row {
  readonly project_key: number;
  readonly project_id: string;
  readonly target_event_type: string;
  readonly user_id: string;
  readonly user_key: number;
  readonly user_partition: number;
  readonly item_id: string;
  readonly item_key: number;
  readonly item_partition: number;
  readonly event_id: string;
  readonly event_key: number;
  readonly event_partition: number;
}

const select = `SELECT p.project_key, p.project_id, p.target_event_type,
      u.dataset_id AS user_id, u.dataset_key AS user_key, u.partition AS user_partition,
      i.dataset_id AS item_id, i.dataset_key AS item_key, i.partition AS item_partition,
      e.dataset_id AS event_id, e.dataset_key AS event_key, e.partition AS event_partition
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
  return row && toServedProject(accountId, row);
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
  return row && toServedProject(accountId, row);
}

function toServedProject(accountId: string, row: Row): ServedProject {
  const locationOf = (kind: 'user' | 'item' | 'event') => ({
    id: row[`${kind}_id`],
    key: row[`${kind}_key`],
    partition: row[`${kind}_partition`],
    table: partitionTable({ kind, partition: row[`${kind}_partition`] }),
  });
  const { project_key, project_id, target_event_type } = row;
  return {
    project_key,
    project_id,
    target_event_type,
    account_id: accountId,
    users: locationOf('user'),
    items: locationOf('item'),
    events: locationOf('event'),
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
