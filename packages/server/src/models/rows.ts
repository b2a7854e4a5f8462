import type { Queryable } from '../kernel/postgres/pool.ts';
import { many } from '../kernel/postgres/statement.ts';
import type { DeployedModel } from '../projects/rows/deployments.ts';

/** The place of a deployment in their order, the latest first. */
interface DeploymentPlace {
  readonly deployed_at: string;
  readonly project_key: number;
}

const beforeAll: DeploymentPlace = { deployed_at: 'infinity', project_key: 0 };
/** Deployments per statement. */
const pageSize = 500;

const listPage = many<[after: DeploymentPlace, size: number], DeployedModel & DeploymentPlace>(
  'list_deployed_models',
  `SELECT d.deployed_at::text AS deployed_at, d.project_key,
      m.model_key, m.model_id, m.object_key, m.object_size::float8 AS size, m.object_sha256 AS sha256
    FROM (
      SELECT deployed_at, project_key, generator_model_key, ranker_model_key FROM deployments
      WHERE (deployed_at, project_key) < ($1::timestamptz, $2::int)
      ORDER BY deployed_at DESC, project_key DESC LIMIT $3
    ) d, LATERAL (
      SELECT unnest(ARRAY[d.generator_model_key, d.ranker_model_key]) AS model_key
      UNION ALL SELECT unnest(ARRAY[v.model_key, v.ranker_model_key])
        FROM (SELECT x.experiment_key FROM experiments x WHERE x.project_key = d.project_key AND x.stopped_at IS NULL OFFSET 0) x,
          LATERAL (SELECT model_key, ranker_model_key FROM experiment_variants WHERE experiment_key = x.experiment_key LIMIT 5) v
    ) used, LATERAL (SELECT * FROM models WHERE model_key = used.model_key LIMIT 1) m
    ORDER BY d.deployed_at DESC, d.project_key DESC`,
  ({ deployed_at, project_key }, size) => [deployed_at, project_key, size],
);

/** Also those of running experiments, the latest deployment first. Reads a page when the one before is used up. May repeat a model. */
export async function* listDeployedModels(
  db: Queryable,
  size = pageSize,
): AsyncGenerator<DeployedModel, void> {
  for (let after = beforeAll; ; ) {
    const page = await listPage(db, after, size);
    const last = page.at(-1);
    if (!last) return;
    yield* page;
    after = last;
  }
}
