import type { ExperimentMetric, ExperimentVerdict } from '@tastegraph/contract';
import type { Queryable, Statement } from './pool.ts';
import { boundedRows, epochMs, type PageBounds, type PageRow } from './sql-fragments.ts';

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

const insertStatement: Statement = {
  name: 'insert_experiment',
  text: `INSERT INTO experiments (project_key, experiment_id, name, scenario, scenario_key, metric, window_hours)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (project_key, scenario) WHERE stopped_at IS NULL DO NOTHING
    RETURNING experiment_key`,
};

const insertVariantsStatement: Statement = {
  name: 'insert_experiment_variants',
  text: `INSERT INTO experiment_variants (experiment_key, position, name, share, model_key, ranker_model_key, model_id,
      ranker_model_id, scenario_version, settings)
    SELECT $1, v.position, v.name, v.share, v.model_key, v.ranker_model_key, v.model_id, v.ranker_model_id, v.scenario_version,
      v.settings::json
    FROM json_to_recordset($2::json) AS v(position smallint, name text, share float8, model_key int, ranker_model_key int,
      model_id text, ranker_model_id text, scenario_version int, settings text)`,
};

/**
 * False if the scenario has a running experiment. A model or scenario that is deleted concurrently is a foreign key violation. The
 * caller has checked the account.
 */
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

const countRunningStatement: Statement = {
  name: 'count_running_experiments',
  text: `SELECT count(*)::int AS count FROM experiments x JOIN projects p USING (project_key)
    WHERE p.account_id = $1 AND x.stopped_at IS NULL`,
};

/** Of the account. Uses experiments_running per project. */
export async function countRunningExperiments(db: Queryable, accountId: string): Promise<number> {
  const [row] = await db.rows<{ count: number }>(countRunningStatement, [accountId]);
  return row?.count ?? 0;
}

const forgetStatement: Statement = {
  name: 'delete_old_experiments',
  text: `DELETE FROM experiments WHERE stopped_at IS NOT NULL AND experiment_key IN (
    SELECT experiment_key FROM experiments WHERE project_key = $1 ORDER BY stopped_at IS NULL DESC, experiment_key DESC OFFSET $2)`,
};

/** Keeps the running ones and the newest of the others, `kept` in all. */
export async function deleteOldExperiments(tx: Queryable, projectKey: number, kept: number): Promise<void> {
  await tx.rows(forgetStatement, [projectKey, kept]);
}

const ofAccount =
  'x.project_key = p.project_key AND x.experiment_id = $3 AND p.project_id = $1 AND p.account_id = $2';

const findStatement: Statement = {
  name: 'find_experiment',
  text: `SELECT ${columns} FROM experiments x, projects p WHERE ${ofAccount}`,
};

/** Uses the unique index on experiment_id, then checks project and account. */
export async function findExperiment(
  db: Queryable,
  accountId: string,
  projectId: string,
  experimentId: string,
): Promise<ExperimentRow | undefined> {
  const [row] = await db.rows<ExperimentRow>(findStatement, [projectId, accountId, experimentId]);
  return row;
}

const lockStatement: Statement = {
  name: 'lock_experiment',
  text: `SELECT ${columns} FROM experiments x, projects p WHERE ${ofAccount} FOR UPDATE OF x`,
};

/** Until the transaction ends, nobody else stops it and no worker writes its figures. */
export async function lockExperiment(
  tx: Queryable,
  accountId: string,
  projectId: string,
  experimentId: string,
): Promise<ExperimentRow | undefined> {
  const [row] = await tx.rows<ExperimentRow>(lockStatement, [projectId, accountId, experimentId]);
  return row;
}

const listStatement: Statement = {
  name: 'list_experiments',
  text: boundedRows(
    'experiment_key DESC',
    '$4',
    `SELECT ${columns} FROM experiments x JOIN projects p USING (project_key)
      WHERE x.project_key = $1 AND x.experiment_key < $2 ORDER BY x.experiment_key DESC LIMIT $3`,
  ),
};

/** Newest first, older than `beforeKey`. Uses experiments_by_project; the caller has checked the account. */
export async function listExperimentRows(
  db: Queryable,
  projectKey: number,
  { beforeKey, limit, bytes }: PageBounds,
): Promise<(ExperimentRow & PageRow)[]> {
  return db.rows(listStatement, [projectKey, beforeKey, limit, bytes]);
}

export interface VariantModels {
  readonly model_key: number | null;
  readonly ranker_model_key: number | null;
  readonly settings: string | null;
}

const variantStatement: Statement = {
  name: 'find_experiment_variant',
  text: `SELECT model_key, ranker_model_key, settings::text AS settings FROM experiment_variants
    WHERE experiment_key = $1 AND name = $2`,
};

/** What a variant of a running experiment consists of. */
export async function findVariantModels(
  tx: Queryable,
  experimentKey: number,
  name: string,
): Promise<VariantModels | undefined> {
  const [row] = await tx.rows<VariantModels>(variantStatement, [experimentKey, name]);
  return row;
}

const stopStatement: Statement = {
  name: 'stop_experiment',
  text: `WITH freed AS (
      UPDATE experiment_variants SET model_key = NULL, ranker_model_key = NULL WHERE experiment_key = $1
    ) UPDATE experiments SET stopped_at = clock_timestamp(), scenario_key = NULL, promoted = $2 WHERE experiment_key = $1`,
};

/** The models and the scenario can be deleted then. The caller holds the lock of `lockExperiment`. */
export async function stopExperimentRow(
  tx: Queryable,
  experimentKey: number,
  promoted: string | null,
): Promise<void> {
  await tx.rows(stopStatement, [experimentKey, promoted]);
}

const findRunningStatement: Statement = {
  name: 'find_running_experiment',
  text: `SELECT x.experiment_id FROM experiments x JOIN projects p USING (project_key)
    WHERE p.project_id = $1 AND p.account_id = $2 AND x.stopped_at IS NULL AND (x.scenario = $3 OR EXISTS (
      SELECT FROM experiment_variants v
        WHERE v.experiment_key = x.experiment_key AND (v.model_id = $4 OR v.ranker_model_id = $4))) LIMIT 1`,
};

/** A running experiment of the scenario, or with the model. */
export async function findRunningExperiment(
  db: Queryable,
  accountId: string,
  projectId: string,
  { scenario, modelId }: { readonly scenario?: string; readonly modelId?: string },
): Promise<string | undefined> {
  const values = [projectId, accountId, scenario ?? null, modelId ?? null];
  const [row] = await db.rows<{ experiment_id: string }>(findRunningStatement, values);
  return row?.experiment_id;
}

const findModelsStatement: Statement = {
  name: 'find_model_keys',
  text: 'SELECT model_id, model_key FROM models WHERE project_key = $1 AND model_id = ANY($2::text[])',
};

/** The models of the project with these IDs. */
export async function findModelKeys(
  db: Queryable,
  projectKey: number,
  modelIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.rows<{ model_id: string; model_key: number }>(findModelsStatement, [
    projectKey,
    modelIds,
  ]);
  return new Map(rows.map(({ model_id, model_key }) => [model_id, model_key]));
}
