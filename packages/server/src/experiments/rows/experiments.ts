import type { ExperimentMetric, ExperimentVerdict } from '@tastegraph/contract';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { epochMs, newestFirst } from '../../kernel/postgres/sql-fragments.ts';
import { count, many, none, one, statement, value } from '../../kernel/postgres/statement.ts';
import { type DeployedModel, modelColumn } from '../../projects/rows/deployments.ts';
import type { ServedProject } from '../../serving/rows/serving-reads.ts';

interface VariantRow {
  readonly name: string;
  readonly share: number;
  readonly model_id: string | null;
  readonly ranker_model_id: string | null;
  readonly scenario_version: number | null;
}

export interface ExperimentRow {
  readonly experiment_key: number;
  readonly project_id: string;
  readonly experiment_id: string;
  readonly name: string;
  readonly scenario: string;
  readonly metric: ExperimentMetric;
  readonly window_hours: number;
  readonly created_ts: number;
  readonly stopped_ts: number | null;
  readonly promoted: string | null;
  readonly verdict: ExperimentVerdict;
  readonly winner: string | null;
  readonly decided_ts: number | null;
  /** In the order of their shares of the hash; the first one is the control. */
  readonly variants: readonly VariantRow[];
}

const columns = `x.experiment_key, p.project_id, x.experiment_id, x.name, x.scenario, x.metric, x.window_hours,
  ${epochMs('x.created_at')} AS created_ts, ${epochMs('x.stopped_at')} AS stopped_ts, x.promoted, x.verdict, x.winner,
  ${epochMs('x.decided_at')} AS decided_ts,
  (SELECT jsonb_agg(jsonb_build_object('name', v.name, 'share', v.share, 'model_id', v.model_id,
      'ranker_model_id', v.ranker_model_id, 'scenario_version', v.scenario_version) ORDER BY v.position)
    FROM experiment_variants v WHERE v.experiment_key = x.experiment_key) AS variants`;

export interface NewExperiment
  extends Pick<ExperimentRow, 'experiment_id' | 'name' | 'scenario' | 'metric' | 'window_hours'> {
  readonly scenario_key: number | null;
  readonly variants: readonly (VariantRow & {
    readonly model_key: number | null;
    readonly ranker_model_key: number | null;
    /** JSON of the scenario version. */
    readonly settings: string | null;
  })[];
}

const insertStatement = statement(
  'insert_experiment',
  `INSERT INTO experiments (project_key, experiment_id, name, scenario, scenario_key, metric, window_hours)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (project_key, scenario) WHERE stopped_at IS NULL DO NOTHING
    RETURNING experiment_key`,
);

const insertVariantsStatement = statement(
  'insert_experiment_variants',
  `INSERT INTO experiment_variants (experiment_key, position, name, share, model_key, ranker_model_key, model_id,
      ranker_model_id, scenario_version, settings)
    SELECT $1, v.position, v.name, v.share, v.model_key, v.ranker_model_key, v.model_id, v.ranker_model_id, v.scenario_version,
      v.settings::json
    FROM json_to_recordset($2::json) AS v(position smallint, name text, share float8, model_key int, ranker_model_key int,
      model_id text, ranker_model_id text, scenario_version int, settings text)`,
);

/** False if one is running. A model or scenario deleted meanwhile is a foreign key violation. The caller has checked the account. */
export async function insertExperiment(
  tx: Queryable,
  projectKey: number,
  { experiment_id, name, scenario, scenario_key, metric, window_hours, variants }: NewExperiment,
): Promise<boolean> {
  const values = [projectKey, experiment_id, name, scenario, scenario_key, metric, window_hours];
  const [row] = await tx.rows<{ experiment_key: number }>(insertStatement, values);
  if (!row) return false;
  const numbered = variants.map((variant, position) => ({ position, ...variant }));
  await tx.rows(insertVariantsStatement, [row.experiment_key, JSON.stringify(numbered)]);
  return true;
}

/** Of the account. Uses experiments_running per project. */
export const countRunningExperiments = count<[accountId: string]>(
  'count_running_experiments',
  `SELECT count(*)::int AS count FROM experiments x JOIN projects p USING (project_key)
    WHERE p.account_id = $1 AND x.stopped_at IS NULL`,
);

/** Keeps the running ones and the newest of the others, `kept` in all. */
export const deleteOldExperiments = none<[projectKey: number, kept: number]>(
  'delete_old_experiments',
  `DELETE FROM experiments WHERE stopped_at IS NOT NULL AND experiment_key IN (
    SELECT experiment_key FROM experiments WHERE project_key = $1 ORDER BY stopped_at IS NULL DESC, experiment_key DESC OFFSET $2)`,
);

const ofAccount =
  'x.project_key = p.project_key AND x.experiment_id = $3 AND p.project_id = $2 AND p.account_id = $1';

/** Uses the unique index on experiment_id, then checks project and account. */
export const findExperiment = one<
  [accountId: string, projectId: string, experimentId: string],
  ExperimentRow
>('find_experiment', `SELECT ${columns} FROM experiments x, projects p WHERE ${ofAccount}`);

/** Until the transaction ends, nobody else stops it and no worker writes its figures. */
export const lockExperiment = one<
  [accountId: string, projectId: string, experimentId: string],
  ExperimentRow
>('lock_experiment', `SELECT ${columns} FROM experiments x, projects p WHERE ${ofAccount} FOR UPDATE OF x`);

/** Newest first, older than `beforeKey`. Uses experiments_by_project; the caller has checked the account. */
export const listExperimentRows = newestFirst<[projectKey: number], ExperimentRow>(
  'list_experiments',
  'x.experiment_key',
  `SELECT ${columns} FROM experiments x JOIN projects p USING (project_key) WHERE x.project_key = $4`,
);

interface VariantModels {
  readonly model_key: number | null;
  readonly ranker_model_key: number | null;
  readonly settings: string | null;
}

/** What a variant of a running experiment consists of. */
export const findVariantModels = one<[experimentKey: number, name: string], VariantModels>(
  'find_experiment_variant',
  `SELECT model_key, ranker_model_key, settings::text AS settings FROM experiment_variants
    WHERE experiment_key = $1 AND name = $2`,
);

/** The models and the scenario can be deleted then. The caller holds the lock of `lockExperiment`. */
export const stopExperimentRow = none<[experimentKey: number, promoted: string | null]>(
  'stop_experiment',
  `WITH freed AS (
      UPDATE experiment_variants SET model_key = NULL, ranker_model_key = NULL WHERE experiment_key = $1
    ) UPDATE experiments SET stopped_at = clock_timestamp(), scenario_key = NULL, promoted = $2 WHERE experiment_key = $1`,
);

/** A running experiment of the scenario, or with the model. */
export const findRunningExperiment = value<
  [accountId: string, projectId: string, use: { readonly scenario?: string; readonly modelId?: string }],
  string
>(
  'find_running_experiment',
  `SELECT x.experiment_id FROM experiments x JOIN projects p USING (project_key)
    WHERE p.project_id = $2 AND p.account_id = $1 AND x.stopped_at IS NULL AND (x.scenario = $3 OR EXISTS (
      SELECT FROM experiment_variants v
        WHERE v.experiment_key = x.experiment_key AND (v.model_id = $4 OR v.ranker_model_id = $4))) LIMIT 1`,
  (accountId, projectId, { scenario, modelId }) => [accountId, projectId, scenario ?? null, modelId ?? null],
);

/** The models of the project with these IDs. */
export const listModelKeys = many<
  [projectKey: number, modelIds: readonly string[]],
  { model_id: string; model_key: number }
>(
  'find_model_keys',
  'SELECT model_id, model_key FROM models WHERE project_key = $1 AND model_id = ANY($2::text[])',
);

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
