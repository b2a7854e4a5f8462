import type { Queryable, Statement } from './pool.ts';
import { type DeployedModel, modelColumn } from './serving-reads.ts';

export interface DeployableRow {
  readonly serving_uri: string;
  readonly generator: DeployedModel | null;
  readonly ranker: DeployedModel | null;
}

const findStatement: Statement = {
  name: 'find_deployable',
  text: `SELECT p.serving_uri, ${modelColumn('g')} AS generator, ${modelColumn('r')} AS ranker FROM projects p
      LEFT JOIN models g ON g.project_key = p.project_key AND g.model_id = $2
      LEFT JOIN models r ON r.project_key = p.project_key AND r.model_id = $3
    WHERE p.project_key = $1`,
};

/**
 * The project and its two models, by primary key and the unique index on model_id. A model that does not exist or was
 * not requested is null. Undefined if the project was deleted.
 */
export async function findDeployable(
  db: Queryable,
  projectKey: number,
  generatorId: string,
  rankerId: string | null,
): Promise<DeployableRow | undefined> {
  const [row] = await db.rows<DeployableRow>(findStatement, [projectKey, generatorId, rankerId]);
  return row;
}

export interface NewDeployment {
  readonly project_key: number;
  readonly generator_model_key: number;
  readonly ranker_model_key: number | null;
  /** Used for a first deployment, and for later ones unless `keeps_qps` is set. */
  readonly qps: number;
  readonly keeps_qps: boolean;
}

const upsertStatement: Statement = {
  name: 'upsert_deployment',
  text: `INSERT INTO deployments (project_key, generator_model_key, ranker_model_key, qps) VALUES ($1, $2, $3, $4)
    ON CONFLICT (project_key) DO UPDATE SET generator_model_key = excluded.generator_model_key,
      ranker_model_key = excluded.ranker_model_key,
      qps = CASE WHEN $5 THEN deployments.qps ELSE excluded.qps END, deployed_at = clock_timestamp()`,
};

/**
 * Call it in the transaction that marks the job SUCCEED. Of two concurrent deployments, the second waits for the first
 * and wins. A deleted model is a foreign key violation; a delete in progress is waited for.
 */
export async function upsertDeployment(tx: Queryable, deployment: NewDeployment): Promise<void> {
  await tx.rows(upsertStatement, [
    deployment.project_key,
    deployment.generator_model_key,
    deployment.ranker_model_key,
    deployment.qps,
    deployment.keeps_qps,
  ]);
}

const deleteStatement: Statement = {
  name: 'delete_deployment',
  text: `DELETE FROM deployments d USING projects p
    WHERE d.project_key = p.project_key AND p.project_id = $1 AND p.account_id = $2`,
};

/** Succeeds if nothing is deployed. Calls that began before are still answered. */
export async function deleteDeployment(db: Queryable, accountId: string, projectId: string): Promise<void> {
  await db.rows(deleteStatement, [projectId, accountId]);
}
