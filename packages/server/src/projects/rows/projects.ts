import type { Response } from '@tastegraph/contract';
import { epochMs, newestFirst } from '../../kernel/postgres/sql-fragments.ts';
import { none, one, only, value, values } from '../../kernel/postgres/statement.ts';
import { modelObjects } from './models.ts';
import { previousModelOf } from './past-deployments.ts';

type Project = Response<'getProject'>;

export interface ProjectRow extends Project {
  readonly project_key: number;
}

export interface NewProject
  extends Pick<
    ProjectRow,
    | 'project_id'
    | 'name'
    | 'project_type'
    | 'target_event_type'
    | 'negative_event_types'
    | 'attribution_hours'
    | 'event_value_max'
    | 'title_attribute'
    | 'picture_attribute'
    | 'serving_uri'
  > {
  readonly user_dataset_key: number;
  readonly item_dataset_key: number;
  readonly event_dataset_key: number;
}

/**
 * SQL: the key of an account's default project: the one it chose, else the first that was deployed, also while it is
 * shut down. By primary key, then projects_by_first_deployment.
 */
export const defaultProjectOf = (accountId: string) => `SELECT coalesce(
    (SELECT a.default_project_key FROM accounts a WHERE a.account_id = ${accountId}),
    (SELECT f.project_key FROM projects f WHERE f.account_id = ${accountId} AND f.first_deployed_at IS NOT NULL
      ORDER BY f.first_deployed_at, f.project_key LIMIT 1))`;

const columns = `p.project_key, p.project_id, p.name, p.project_type, u.dataset_id AS user_dataset_id,
  i.dataset_id AS item_dataset_id, e.dataset_id AS event_dataset_id, p.target_event_type, p.negative_event_types,
  p.attribution_hours, p.event_value_max, p.title_attribute, p.picture_attribute, p.serving_uri,
  (SELECT json_build_object('generator_model_id', g.model_id, 'ranker_model_id', r.model_id, 'qps', d.qps,
      'deployed_ts', ${epochMs('d.deployed_at')}, 'previous_model_id', (${previousModelOf('d')}))
    FROM deployments d JOIN models g ON g.model_key = d.generator_model_key
      LEFT JOIN models r ON r.model_key = d.ranker_model_key
    WHERE d.project_key = p.project_key) AS deployment,
  coalesce(p.project_key = (${defaultProjectOf('p.account_id')}), false) AS "default"`;

/** Three lookups by primary key besides the project's own, and as many for its deployment. */
const datasetsOf = `JOIN datasets u ON u.dataset_key = p.user_dataset_key
  JOIN datasets i ON i.dataset_key = p.item_dataset_key
  JOIN datasets e ON e.dataset_key = p.event_dataset_key`;

/** The caller holds the datasets' locks, so that none is deleted meanwhile. */
export const insertProject = only<[accountId: string, project: NewProject], ProjectRow>(
  'insert_project',
  `WITH p AS (
      INSERT INTO projects (project_id, account_id, name, project_type, user_dataset_key, item_dataset_key,
        event_dataset_key, target_event_type, serving_uri, negative_event_types, title_attribute, picture_attribute,
        attribution_hours, event_value_max)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING *
    ) SELECT ${columns} FROM p ${datasetsOf}`,
  (accountId, project) => [
    project.project_id,
    accountId,
    project.name,
    project.project_type,
    project.user_dataset_key,
    project.item_dataset_key,
    project.event_dataset_key,
    project.target_event_type,
    project.serving_uri,
    project.negative_event_types,
    project.title_attribute,
    project.picture_attribute,
    project.attribution_hours,
    project.event_value_max,
  ],
);

/** Uses the unique index on project_id, then checks the account: another account's project is not found. */
export const findProject = one<[accountId: string, projectId: string], ProjectRow>(
  'find_project',
  `SELECT ${columns} FROM projects p ${datasetsOf} WHERE p.project_id = $2 AND p.account_id = $1`,
);

/** Uses projects_by_account. */
export const listProjects = newestFirst<[accountId: string], ProjectRow>(
  'list_projects',
  'p.project_key',
  `SELECT ${columns} FROM projects p ${datasetsOf} WHERE p.account_id = $4`,
);

/** Null leaves a field as it is; what may be null is left as it is by undefined, and removed by null. */
interface ProjectRowChange {
  readonly name: string | null;
  readonly negativeEventTypes: readonly string[] | null;
  readonly attributionHours: number | null;
  readonly eventValueMax: number | null | undefined;
  readonly titleAttribute: string | null | undefined;
  readonly pictureAttribute: string | null | undefined;
}

export const updateProjectRow = one<
  [accountId: string, projectId: string, change: ProjectRowChange],
  ProjectRow
>(
  'update_project',
  `WITH p AS (
      UPDATE projects SET name = coalesce($3, name), negative_event_types = coalesce($4, negative_event_types),
        attribution_hours = coalesce($9, attribution_hours),
        event_value_max = CASE WHEN $10 THEN $11 ELSE event_value_max END,
        title_attribute = CASE WHEN $5 THEN $6 ELSE title_attribute END,
        picture_attribute = CASE WHEN $7 THEN $8 ELSE picture_attribute END
      WHERE project_id = $2 AND account_id = $1 RETURNING *
    ) SELECT ${columns} FROM p ${datasetsOf}`,
  (
    accountId,
    projectId,
    { name, negativeEventTypes, attributionHours, eventValueMax, titleAttribute, pictureAttribute },
  ) => [
    accountId,
    projectId,
    name,
    negativeEventTypes,
    titleAttribute !== undefined,
    titleAttribute ?? null,
    pictureAttribute !== undefined,
    pictureAttribute ?? null,
    attributionHours,
    eventValueMax !== undefined,
    eventValueMax ?? null,
  ],
);

/** Of two concurrent calls, the later wins. Writes nothing if the account has no such project. */
export const setDefaultProject = none<[accountId: string, projectId: string]>(
  'set_default_project',
  `UPDATE accounts a SET default_project_key = p.project_key FROM projects p
    WHERE a.account_id = $1 AND p.account_id = a.account_id AND p.project_id = $2`,
);

/** Waits for transactions that add a job or a model, and blocks new ones until the transaction ends. */
export const lockProject = none<[accountId: string, projectId: string]>(
  'lock_project',
  'SELECT FROM projects WHERE project_id = $2 AND account_id = $1 FOR UPDATE',
);

/** Also deletes all that it has. The files of models, results and the decision log become orphaned. */
export const deleteProjectRow = one<[accountId: string, projectId: string], ProjectRow>(
  'delete_project',
  `WITH p AS (
      DELETE FROM projects WHERE project_id = $2 AND account_id = $1 RETURNING *
    ), orphaned AS (
      INSERT INTO loose_objects (object_key) ${modelObjects('models JOIN p USING (project_key)')}
        UNION ALL SELECT file->>'object_key' FROM jobs j JOIN p USING (project_key),
          jsonb_array_elements(j.job_result->'files') AS file
        UNION ALL SELECT f.object_key FROM decision_files f JOIN p USING (project_key)
        UNION ALL SELECT f.object_key FROM attribution_files f JOIN p USING (project_key)
    ) SELECT ${columns} FROM p ${datasetsOf}`,
);

/** IDs of projects that use the dataset, by the three indexes on dataset keys. */
export const listProjectIdsOfDataset = values<[datasetKey: number, limit: number], string>(
  'list_projects_of_dataset',
  `SELECT project_id FROM projects
    WHERE user_dataset_key = $1 OR item_dataset_key = $1 OR event_dataset_key = $1
    ORDER BY project_key LIMIT $2`,
);

/** By primary key, for a job that has the project's key. Undefined if the project was deleted. */
export const findProjectId = value<[projectKey: number], string>(
  'find_project_id',
  'SELECT project_id FROM projects WHERE project_key = $1',
);
