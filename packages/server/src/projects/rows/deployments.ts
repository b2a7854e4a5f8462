import type { Queryable } from '../../kernel/postgres/pool.ts';
import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { none, one, some } from '../../kernel/postgres/statement.ts';
import { type DeployedKeys, insertPastDeployment, lockDeployment, previousOf } from './past-deployments.ts';

/** A model that a serving process can load. */
export interface DeployedModel {
  readonly model_key: number;
  readonly model_id: string;
  readonly object_key: string;
  readonly size: number;
  readonly sha256: string;
}

/** SQL: a model as one JSON column; null if it does not exist. */
export const modelColumn = (
  alias: string,
) => `CASE WHEN ${alias}.model_key IS NOT NULL THEN json_build_object(
  'model_key', ${alias}.model_key, 'model_id', ${alias}.model_id, 'object_key', ${alias}.object_key, 'size', ${alias}.object_size,
  'sha256', ${alias}.object_sha256) END`;

interface DeployableRow {
  readonly serving_uri: string;
  readonly generator: DeployedModel | null;
  readonly ranker: DeployedModel | null;
}

/** By primary key and model_id. A model that does not exist or was not requested is null. Undefined without the project. */
export const findDeployable = one<
  [projectKey: number, generatorId: string, rankerId: string | null],
  DeployableRow
>(
  'find_deployable',
  `SELECT p.serving_uri, ${modelColumn('g')} AS generator, ${modelColumn('r')} AS ranker FROM projects p
      LEFT JOIN models g ON g.project_key = p.project_key AND g.model_id = $2
      LEFT JOIN models r ON r.project_key = p.project_key AND r.model_id = $3
    WHERE p.project_key = $1`,
);

export interface NewDeployment extends DeployedKeys {
  readonly project_key: number;
  /** Used for a first deployment, and for later ones unless `keeps_qps` is set. */
  readonly qps: number;
  readonly keeps_qps: boolean;
}

const upsertRow = none<[deployment: NewDeployment]>(
  'upsert_deployment',
  `INSERT INTO deployments (project_key, generator_model_key, ranker_model_key, qps) VALUES ($1, $2, $3, $4)
    ON CONFLICT (project_key) DO UPDATE SET generator_model_key = excluded.generator_model_key,
      ranker_model_key = excluded.ranker_model_key,
      qps = CASE WHEN $5 THEN deployments.qps ELSE excluded.qps END, deployed_at = clock_timestamp()`,
  (deployment) => [
    deployment.project_key,
    deployment.generator_model_key,
    deployment.ranker_model_key,
    deployment.qps,
    deployment.keeps_qps,
  ],
);

/**
 * Call it in the transaction that marks the job SUCCEED. Of two concurrent deployments, the second waits for the first
 * and wins. A deleted model is a foreign key violation; a delete in progress is waited for.
 */
export async function upsertDeployment(tx: Queryable, deployment: NewDeployment): Promise<void> {
  await lockDeployment(tx, deployment.project_key);
  await insertPastDeployment(tx, deployment.project_key, deployment);
  await upsertRow(tx, deployment);
}

/** Succeeds if nothing is deployed. Calls that began before are still answered. A rollback can return to it. */
export const deleteDeployment = none<[accountId: string, projectId: string]>(
  'delete_deployment',
  `WITH deleted AS (
      DELETE FROM deployments d USING projects p
        WHERE d.project_key = p.project_key AND p.project_id = $2 AND p.account_id = $1 RETURNING d.*
    ) INSERT INTO past_deployments (project_key, generator_model_key, ranker_model_key)
      SELECT project_key, generator_model_key, ranker_model_key FROM deleted`,
);

interface PastModels {
  readonly past_key: number;
  readonly generator: DeployedModel;
  readonly ranker: DeployedModel | null;
}

/** What a rollback returns to. Undefined if there is nothing, or nothing is deployed. */
export const findPastModels = one<[projectKey: number], PastModels>(
  'find_past_models',
  `SELECT past.past_key::float8 AS past_key, ${modelColumn('g')} AS generator, ${modelColumn('r')} AS ranker
    FROM deployments d CROSS JOIN LATERAL (${previousOf('past.*', 'd')}) past
      JOIN models g ON g.model_key = past.generator_model_key
      LEFT JOIN models r ON r.model_key = past.ranker_model_key
    WHERE d.project_key = $1`,
);

/** What is deployed. */
interface CurrentModels {
  readonly generator_model_id: string;
  readonly ranker_model_id: string | null;
  readonly generator: DeployedModel;
  readonly ranker: DeployedModel | null;
  /** Up to when each of these models and the candidates has read events; if unknown or in the future, when it was created. */
  readonly newest_event_ts: readonly number[];
}

/** By primary keys. Undefined if nothing is deployed. */
export const findCurrentModels = one<[projectKey: number, candidate: DeployedKeys], CurrentModels>(
  'find_current_models',
  `SELECT g.model_id AS generator_model_id, r.model_id AS ranker_model_id,
      ${modelColumn('g')} AS generator, ${modelColumn('r')} AS ranker,
      ARRAY(SELECT least((m.training->'data'->>'newest_event_ts')::float8, ${epochMs('m.created_at')})
        FROM models m WHERE m.model_key = ANY(ARRAY[g.model_key, r.model_key, $2::int, $3::int])) AS newest_event_ts
    FROM deployments d JOIN models g ON g.model_key = d.generator_model_key
      LEFT JOIN models r ON r.model_key = d.ranker_model_key
    WHERE d.project_key = $1`,
  (projectKey, candidate) => [projectKey, candidate.generator_model_key, candidate.ranker_model_key],
);

const updateModels = some<[projectKey: number, models: DeployedKeys]>(
  'promote_models',
  `UPDATE deployments SET generator_model_key = $2, ranker_model_key = $3, deployed_at = clock_timestamp()
    WHERE project_key = $1 RETURNING project_key`,
  (projectKey, models) => [projectKey, models.generator_model_key, models.ranker_model_key],
);

/** Replaces the deployed models, and keeps them for a rollback. False if nothing is deployed. The caller holds the lock of `lockDeployment`. */
export async function promoteModels(
  tx: Queryable,
  projectKey: number,
  models: DeployedKeys,
): Promise<boolean> {
  await insertPastDeployment(tx, projectKey, models);
  return updateModels(tx, projectKey, models);
}
