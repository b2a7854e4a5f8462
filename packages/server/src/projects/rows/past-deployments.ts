import { limits } from '@tastegraph/contract/limits';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { epochMs } from '../../kernel/postgres/sql-fragments.ts';
import { none, some } from '../../kernel/postgres/statement.ts';

/** Until the transaction ends, no other one that calls this changes the project's deployment. */
export const lockDeployment = none<[projectKey: number]>(
  'lock_deployment',
  'SELECT FROM projects WHERE project_key = $1 FOR NO KEY UPDATE',
);

/** The models of a deployment. */
export interface DeployedKeys {
  readonly generator_model_key: number;
  readonly ranker_model_key: number | null;
}

const keepDeployment = none<[projectKey: number, next: DeployedKeys]>(
  'insert_past_deployment',
  `INSERT INTO past_deployments (project_key, generator_model_key, ranker_model_key)
    SELECT project_key, generator_model_key, ranker_model_key FROM deployments
    WHERE project_key = $1 AND (generator_model_key, ranker_model_key) IS DISTINCT FROM ($2::int, $3::int)`,
  (projectKey, next) => [projectKey, next.generator_model_key, next.ranker_model_key],
);

const forgetOldest = none<[projectKey: number, kept: number]>(
  'delete_past_deployments',
  `DELETE FROM past_deployments WHERE project_key = $1 AND past_key <= (
    SELECT past_key FROM past_deployments WHERE project_key = $1 ORDER BY past_key DESC OFFSET $2 LIMIT 1)`,
);

/** Keeps what is deployed, unless the next models are the same, and forgets the oldest. The caller holds `lockDeployment`. */
export async function insertPastDeployment(
  tx: Queryable,
  projectKey: number,
  next: DeployedKeys,
): Promise<void> {
  await keepDeployment(tx, projectKey, next);
  await forgetOldest(tx, projectKey, limits.pastDeployments);
}

/** SQL: the past deployment that a rollback of `d` returns to, the newest with other models. By past_deployments_by_project. */
export const previousOf = (columns: string, d: string) => `SELECT ${columns} FROM past_deployments past
  WHERE past.project_key = ${d}.project_key AND (past.generator_model_key, past.ranker_model_key)
    IS DISTINCT FROM (${d}.generator_model_key, ${d}.ranker_model_key)
  ORDER BY past.past_key DESC LIMIT 1`;

/** SQL: the ID of the generator that a rollback of `d` returns to, or null. */
export const previousModelOf = (d: string) => `SELECT model_id FROM models WHERE model_key = (
  ${previousOf('past.generator_model_key', d)})`;

/** Whether a rollback returns to the model, in either role. Under `lockDeployment`, it stays so until the transaction ends. */
export const isWayBack = some<[projectKey: number, modelId: string]>(
  'find_way_back',
  `SELECT FROM deployments d CROSS JOIN LATERAL (${previousOf('past.*', 'd')}) past
      JOIN models m ON m.model_key IN (past.generator_model_key, past.ranker_model_key)
    WHERE d.project_key = $1 AND m.model_id = $2`,
);

/**
 * Deploys past models, and forgets them and what was deployed after them. False if a rollback no longer returns to them, or something
 * else was deployed since `deployedTs`. Under `lockDeployment`.
 */
export const rollBackTo = some<[projectKey: number, pastKey: number, deployedTs: number]>(
  'roll_back_deployment',
  `WITH past AS MATERIALIZED (
      SELECT previous.* FROM deployments d CROSS JOIN LATERAL (${previousOf('past.*', 'd')}) previous
        WHERE d.project_key = $1 AND previous.past_key = $2 AND ${epochMs('d.deployed_at')} = $3
    ), taken AS (
      DELETE FROM past_deployments USING past
        WHERE past_deployments.project_key = $1 AND past_deployments.past_key >= past.past_key
    ) UPDATE deployments d SET generator_model_key = past.generator_model_key,
      ranker_model_key = past.ranker_model_key, deployed_at = clock_timestamp()
    FROM past WHERE d.project_key = $1 RETURNING d.project_key`,
);
