import { epochMs } from './epoch.ts';
import { modelObjects } from './models.ts';
import type { Queryable, Statement } from './pool.ts';

export interface ProjectRow {
  readonly project_key: number;
  readonly project_id: string;
  readonly name: string;
  readonly project_type: 'RECOMMEND_ITEMS_TO_USER';
  readonly user_dataset_id: string;
  readonly item_dataset_id: string;
  readonly event_dataset_id: string;
  readonly target_event_type: string;
  readonly serving_uri: string;
  readonly deployment: DeploymentRow | null;
}

/** What serves the project. */
interface DeploymentRow {
  readonly generator_model_id: string;
  readonly ranker_model_id: string | null;
  readonly qps: number;
  readonly deployed_ts: number;
}

export interface NewProject
  extends Pick<ProjectRow, 'project_id' | 'name' | 'project_type' | 'target_event_type' | 'serving_uri'> {
  readonly user_dataset_key: number;
  readonly item_dataset_key: number;
  readonly event_dataset_key: number;
}

const columns = `p.project_key, p.project_id, p.name, p.project_type, u.dataset_id AS user_dataset_id,
  i.dataset_id AS item_dataset_id, e.dataset_id AS event_dataset_id, p.target_event_type, p.serving_uri,
  (SELECT json_build_object('generator_model_id', g.model_id, 'ranker_model_id', r.model_id, 'qps', d.qps,
      'deployed_ts', ${epochMs('d.deployed_at')})
    FROM deployments d JOIN models g ON g.model_key = d.generator_model_key
      LEFT JOIN models r ON r.model_key = d.ranker_model_key
    WHERE d.project_key = p.project_key) AS deployment`;

/** Three look-ups by primary key beside the project's own, and as many for its deployment. */
const datasetsOf = `JOIN datasets u ON u.dataset_key = p.user_dataset_key
  JOIN datasets i ON i.dataset_key = p.item_dataset_key
  JOIN datasets e ON e.dataset_key = p.event_dataset_key`;

const insertStatement: Statement = {
  name: 'insert_project',
  text: `WITH p AS (
      INSERT INTO projects (project_id, account_id, name, project_type, user_dataset_key, item_dataset_key,
        event_dataset_key, target_event_type, serving_uri)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING *
    ) SELECT ${columns} FROM p ${datasetsOf}`,
};

/** The caller holds the locks of the datasets, so that none of them is deleted meanwhile. */
export async function insertProject(
  db: Queryable,
  accountId: string,
  project: NewProject,
): Promise<ProjectRow> {
  const [row] = await db.rows<ProjectRow>(insertStatement, [
    project.project_id,
    accountId,
    project.name,
    project.project_type,
    project.user_dataset_key,
    project.item_dataset_key,
    project.event_dataset_key,
    project.target_event_type,
    project.serving_uri,
  ]);
  if (!row) throw new Error('the project was not inserted');
  return row;
}

const findStatement: Statement = {
  name: 'find_project',
  text: `SELECT ${columns} FROM projects p ${datasetsOf} WHERE p.project_id = $1 AND p.account_id = $2`,
};

/** By the unique index on project_id, then the account: another account's project is not found. */
export async function findProject(
  db: Queryable,
  accountId: string,
  projectId: string,
): Promise<ProjectRow | undefined> {
  const [row] = await db.rows<ProjectRow>(findStatement, [projectId, accountId]);
  return row;
}

const listStatement: Statement = {
  name: 'list_projects',
  text: `SELECT ${columns} FROM projects p ${datasetsOf} WHERE p.account_id = $1 AND p.project_key < $2
    ORDER BY p.project_key DESC LIMIT $3`,
};

/** Newest first, those older than `beforeKey`. Walks projects_by_account. */
export async function listProjects(
  db: Queryable,
  accountId: string,
  beforeKey: number,
  limit: number,
): Promise<ProjectRow[]> {
  return db.rows(listStatement, [accountId, beforeKey, limit]);
}

const updateStatement: Statement = {
  name: 'update_project',
  text: `WITH p AS (
      UPDATE projects SET name = $3 WHERE project_id = $1 AND account_id = $2 RETURNING *
    ) SELECT ${columns} FROM p ${datasetsOf}`,
};

export async function updateProjectName(
  db: Queryable,
  accountId: string,
  projectId: string,
  name: string,
): Promise<ProjectRow | undefined> {
  const [row] = await db.rows<ProjectRow>(updateStatement, [projectId, accountId, name]);
  return row;
}

const lockStatement: Statement = {
  name: 'lock_project',
  text: 'SELECT FROM projects WHERE project_id = $1 AND account_id = $2 FOR UPDATE',
};

/** Waits for whoever is adding a job or a model to it; nobody adds any more until the transaction ends. */
export async function lockProject(tx: Queryable, accountId: string, projectId: string): Promise<void> {
  await tx.rows(lockStatement, [projectId, accountId]);
}

const deleteStatement: Statement = {
  name: 'delete_project',
  text: `WITH p AS (
      DELETE FROM projects WHERE project_id = $1 AND account_id = $2 RETURNING *
    ), loose AS (
      INSERT INTO loose_objects (object_key) ${modelObjects('models JOIN p USING (project_key)')}
        UNION ALL SELECT file->>'object_key' FROM jobs j JOIN p USING (project_key),
          jsonb_array_elements(j.job_result->'files') AS file
    ) SELECT ${columns} FROM p ${datasetsOf}`,
};

/** Its algorithms, jobs, models and deployment go with it; the files of models and results are loose from then on, and a worker removes them. */
export async function deleteProjectRow(
  db: Queryable,
  accountId: string,
  projectId: string,
): Promise<ProjectRow | undefined> {
  const [row] = await db.rows<ProjectRow>(deleteStatement, [projectId, accountId]);
  return row;
}

const listOfDatasetStatement: Statement = {
  name: 'list_projects_of_dataset',
  text: `SELECT project_id FROM projects
    WHERE user_dataset_key = $1 OR item_dataset_key = $1 OR event_dataset_key = $1
    ORDER BY project_key LIMIT $2`,
};

/** Ids of projects that refer to the dataset, by the three indexes on their keys. */
export async function listProjectIdsOfDataset(
  db: Queryable,
  datasetKey: number,
  limit: number,
): Promise<string[]> {
  const rows = await db.rows<{ project_id: string }>(listOfDatasetStatement, [datasetKey, limit]);
  return rows.map((row) => row.project_id);
}
