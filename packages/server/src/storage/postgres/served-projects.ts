import { partitionTable } from './datasets.ts';
import type { Queryable, Statement } from './pool.ts';
import type { DeployedModel, ServedProject } from './serving-reads.ts';

interface Row {
  readonly project_key: number;
  readonly project_id: string;
  readonly target_event_type: string;
  readonly user_key: number;
  readonly user_partition: number;
  readonly item_key: number;
  readonly item_partition: number;
  readonly event_key: number;
  readonly event_partition: number;
}

const findStatement: Statement = {
  name: 'find_served_project',
  text: `SELECT p.project_key, p.project_id, p.target_event_type,
      u.dataset_key AS user_key, u.partition AS user_partition, i.dataset_key AS item_key, i.partition AS item_partition,
      e.dataset_key AS event_key, e.partition AS event_partition
    FROM projects p
      JOIN datasets u ON u.dataset_key = p.user_dataset_key
      JOIN datasets i ON i.dataset_key = p.item_dataset_key
      JOIN datasets e ON e.dataset_key = p.event_dataset_key
    WHERE p.project_id = $1 AND p.account_id = $2`,
};

/** By the unique index on project_id, then the account: another account's project is not found. */
export async function findServedProject(
  db: Queryable,
  accountId: string,
  projectId: string,
): Promise<ServedProject | undefined> {
  const [row] = await db.rows<Row>(findStatement, [projectId, accountId]);
  if (!row) return undefined;
  const place = (kind: 'user' | 'item' | 'event') => ({
    key: row[`${kind}_key`],
    table: partitionTable({ kind, partition: row[`${kind}_partition`] }),
  });
  const { project_key, project_id, target_event_type } = row;
  return {
    ...{ project_key, project_id, target_event_type },
    ...{ users: place('user'), items: place('item'), events: place('event') },
  };
}

const listDeployedStatement: Statement = {
  name: 'list_deployed_projects',
  text: `SELECT p.project_id FROM projects p JOIN deployments d USING (project_key) WHERE p.account_id = $1
    ORDER BY p.project_key LIMIT $2`,
};

/** The oldest first. Walks projects_by_account and looks each up in deployments. */
export async function listDeployedProjects(
  db: Queryable,
  accountId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.rows<{ project_id: string }>(listDeployedStatement, [accountId, limit]);
  return rows.map((row) => row.project_id);
}

const listModelsStatement: Statement = {
  name: 'list_deployed_models',
  text: `SELECT model_key, object_key, size, sha256 FROM (
      SELECT m.model_key, m.object_key, m.object_size::float8 AS size, m.object_sha256 AS sha256,
        sum(m.object_size) OVER (ORDER BY d.deployed_at DESC, m.model_key) AS sum
      FROM deployments d JOIN models m ON m.model_key IN (d.generator_model_key, d.ranker_model_key)) newest
    WHERE sum <= $1`,
};

/** Those deployed last, as many as fit into so many bytes. Reads all deployments of the cell, once, at a start. */
export async function listDeployedModels(db: Queryable, bytes: number): Promise<DeployedModel[]> {
  return db.rows(listModelsStatement, [bytes]);
}
