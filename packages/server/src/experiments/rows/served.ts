import { many } from '../../kernel/postgres/statement.ts';
import { type DeployedModel, modelColumn } from '../../projects/rows/deployments.ts';
import { type ServedProject } from '../../serving/rows/serving-reads.ts';

export interface ServedVariant {
  readonly name: string;
  readonly share: number;
  /** Null for what is deployed. */
  readonly generator: DeployedModel | null;
  readonly ranker: DeployedModel | null;
  readonly scenario_version: number | null;
  /** JSON. */
  readonly settings: string | null;
}

/** The variants of a running experiment, in their order, by the unique index on experiment_id. Empty if it was stopped. */
export const readExperiment = many<[project: ServedProject, experimentId: string], ServedVariant>(
  'read_served_experiment',
  `SELECT v.name, v.share, ${modelColumn('g')} AS generator, ${modelColumn('r')} AS ranker, v.scenario_version,
      v.settings::text AS settings
    FROM experiments x JOIN projects p USING (project_key) JOIN experiment_variants v USING (experiment_key)
      LEFT JOIN models g ON g.model_key = v.model_key LEFT JOIN models r ON r.model_key = v.ranker_model_key
    WHERE x.experiment_id = $1 AND x.project_key = $2 AND p.project_id = $3 AND x.stopped_at IS NULL ORDER BY v.position`,
  ({ project_key, project_id }, experimentId) => [experimentId, project_key, project_id],
);
