import type { AlgorithmType, Response } from '@tastegraph/contract';
import { epochMs, newestFirst } from '../../kernel/postgres/sql-fragments.ts';
import { none, one, some, values } from '../../kernel/postgres/statement.ts';

type Model = Response<'getModel'>;

export interface ModelRow extends Model {
  readonly model_key: number;
  readonly object_key: string;
  readonly object_size: number;
  readonly object_sha256: string;
}

export interface ModelFile {
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

/** The data that the training read. */
export interface ModelSnapshot extends ModelFile {
  /** Names of the item attributes in the snapshot. */
  readonly attributes: readonly string[];
}

export type ModelTraining = Model['training'];

export interface NewModel extends Omit<ModelRow, 'model_key' | 'project_id' | 'created_ts'> {
  readonly snapshot: ModelSnapshot;
  readonly project_key: number;
  readonly job_key: number;
}

const columns = `m.model_key, p.project_id, m.model_id, m.name, m.algorithm_type, m.algorithm_parameters, m.training,
  m.object_key, m.object_size::float8 AS object_size, m.object_sha256, ${epochMs('m.created_at')} AS created_ts`;

/** SQL: the object keys of models' files. */
export const modelObjects = (models: string) => `SELECT object_key FROM (
    SELECT unnest(ARRAY[object_key, snapshot_key]) AS object_key FROM ${models}
  ) AS objects WHERE object_key IS NOT NULL`;

/** Call it in the transaction that marks the job SUCCEED. A unique index allows one model per job. */
export const insertModel = none<[model: NewModel]>(
  'insert_model',
  `INSERT INTO models (model_id, project_key, job_key, name, algorithm_type, algorithm_parameters, training,
      object_key, object_size, object_sha256, snapshot_key, snapshot_size, snapshot_sha256, attributes)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
  (model) => [
    model.model_id,
    model.project_key,
    model.job_key,
    model.name,
    model.algorithm_type,
    model.algorithm_parameters,
    model.training,
    model.object_key,
    model.object_size,
    model.object_sha256,
    model.snapshot.key,
    model.snapshot.size,
    model.snapshot.sha256,
    JSON.stringify(model.snapshot.attributes),
  ],
);

const ofAccount =
  'm.project_key = p.project_key AND m.model_id = $3 AND p.project_id = $2 AND p.account_id = $1';

/** Uses the unique index on model_id, then checks project and account. */
export const findModel = one<[accountId: string, projectId: string, modelId: string], ModelRow>(
  'find_model',
  `SELECT ${columns} FROM models m, projects p WHERE ${ofAccount}`,
);

/** What an analysis reads. `snapshot` is null in old models, and if it contained a user who was erased. */
export interface ModelFiles {
  readonly model_key: number;
  readonly name: string;
  readonly algorithm_type: AlgorithmType;
  readonly model: ModelFile;
  readonly snapshot: ModelSnapshot | null;
}

/** Uses the unique index on model_id. The caller has checked the account. */
export const findModelFiles = one<[projectKey: number, modelId: string], ModelFiles>(
  'find_model_files',
  `SELECT m.model_key, m.name, m.algorithm_type, jsonb_build_object('key', m.object_key, 'size', m.object_size, 'sha256', m.object_sha256) AS model,
      CASE WHEN m.snapshot_key IS NOT NULL THEN jsonb_build_object('key', m.snapshot_key, 'size', m.snapshot_size,
        'sha256', m.snapshot_sha256, 'attributes', m.attributes) END AS snapshot
    FROM models m WHERE m.project_key = $1 AND m.model_id = $2`,
);

/** Whether the model exists. If so, it cannot be deleted until the transaction ends. */
export const lockModel = some<[modelKey: number]>(
  'lock_model',
  'SELECT FROM models WHERE model_key = $1 FOR KEY SHARE',
);

/** Uses models_by_project; the caller has checked the account. */
export const listModels = newestFirst<[projectKey: number], ModelRow>(
  'list_models',
  'm.model_key',
  `SELECT ${columns} FROM models m JOIN projects p USING (project_key) WHERE m.project_key = $4`,
);

export const updateModelName = one<
  [accountId: string, projectId: string, modelId: string, name: string],
  ModelRow
>('update_model', `UPDATE models m SET name = $4 FROM projects p WHERE ${ofAccount} RETURNING ${columns}`);

/** SQL: CTEs that delete models and orphan their files. `which` follows `DELETE FROM models m`; the deleted rows are `m`. */
export const deletedModels = (which: string) => `m AS (
      DELETE FROM models m ${which} RETURNING m.*
    ), orphaned AS (
      INSERT INTO loose_objects (object_key) ${modelObjects('m')} ON CONFLICT DO NOTHING
    )`;

/** Its files become orphaned. Deleting a deployed model is a foreign key violation. */
export const deleteModelRow = one<[accountId: string, projectId: string, modelId: string], ModelRow>(
  'delete_model',
  `WITH ${deletedModels(`USING projects p WHERE ${ofAccount}`)}
    SELECT ${columns} FROM m JOIN projects p USING (project_key)`,
);

/** Removes what a model knows of users. Returns the keys of the objects that are now orphaned; none if the model was deleted meanwhile. Keeps the model. */
export const dropSnapshot = values<
  [accountId: string, file: { readonly key: number; readonly object_key: string }],
  string
>(
  'drop_snapshot',
  `WITH dropped AS (
      UPDATE models m SET snapshot_key = NULL, snapshot_size = NULL, snapshot_sha256 = NULL, attributes = NULL
        FROM projects p WHERE m.model_key = $1 AND m.snapshot_key = $2 AND p.project_key = m.project_key AND p.account_id = $3
        RETURNING $2::text AS object_key
    ) INSERT INTO loose_objects (object_key) SELECT object_key FROM dropped ON CONFLICT DO NOTHING RETURNING object_key`,
  (accountId, { key, object_key }) => [key, object_key, accountId],
);
