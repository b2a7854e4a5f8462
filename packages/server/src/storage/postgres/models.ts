import type { Response } from '@tastegraph/contract';
import { epochMs } from './epoch.ts';
import type { Queryable, Statement } from './pool.ts';

export interface ModelRow {
  readonly model_key: number;
  readonly project_id: string;
  readonly model_id: string;
  readonly name: string;
  readonly algorithm_type: 'G1';
  readonly algorithm_parameters: Record<string, unknown>;
  readonly training: ModelTraining;
  readonly object_key: string;
  readonly object_size: number;
  readonly object_sha256: string;
  readonly created_ts: number;
}

/** As the contract's model record has it. */
export type ModelTraining = Response<'getModel'>['training'];

export interface NewModel
  extends Pick<
    ModelRow,
    | 'model_id'
    | 'name'
    | 'algorithm_type'
    | 'algorithm_parameters'
    | 'training'
    | 'object_key'
    | 'object_size'
    | 'object_sha256'
  > {
  readonly project_key: number;
  readonly job_key: number;
}

const columns = `m.model_key, p.project_id, m.model_id, m.name, m.algorithm_type, m.algorithm_parameters, m.training,
  m.object_key, m.object_size::float8 AS object_size, m.object_sha256, ${epochMs('m.created_at')} AS created_ts`;

const insertStatement: Statement = {
  name: 'insert_model',
  text: `INSERT INTO models (model_id, project_key, job_key, name, algorithm_type, algorithm_parameters, training,
      object_key, object_size, object_sha256)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};

/** In the transaction in which its job succeeds; a second model of the job is refused by its unique index. */
export async function insertModel(tx: Queryable, model: NewModel): Promise<void> {
  await tx.rows(insertStatement, [
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
  ]);
}

const ofAccount =
  'm.project_key = p.project_key AND m.model_id = $3 AND p.project_id = $1 AND p.account_id = $2';

const findStatement: Statement = {
  name: 'find_model',
  text: `SELECT ${columns} FROM models m, projects p WHERE ${ofAccount}`,
};

/** By the unique index on model_id, then its project and account. */
export async function findModel(
  db: Queryable,
  accountId: string,
  projectId: string,
  modelId: string,
): Promise<ModelRow | undefined> {
  const [row] = await db.rows<ModelRow>(findStatement, [projectId, accountId, modelId]);
  return row;
}

const listStatement: Statement = {
  name: 'list_models',
  text: `SELECT ${columns} FROM models m JOIN projects p USING (project_key)
    WHERE m.project_key = $1 AND m.model_key < $2 ORDER BY m.model_key DESC LIMIT $3`,
};

/** Newest first, those older than `beforeKey`. Walks models_by_project; the caller found the project. */
export async function listModels(
  db: Queryable,
  projectKey: number,
  beforeKey: number,
  limit: number,
): Promise<ModelRow[]> {
  return db.rows(listStatement, [projectKey, beforeKey, limit]);
}

const updateStatement: Statement = {
  name: 'update_model',
  text: `UPDATE models m SET name = $4 FROM projects p WHERE ${ofAccount} RETURNING ${columns}`,
};

export async function updateModelName(
  db: Queryable,
  accountId: string,
  projectId: string,
  modelId: string,
  name: string,
): Promise<ModelRow | undefined> {
  const [row] = await db.rows<ModelRow>(updateStatement, [projectId, accountId, modelId, name]);
  return row;
}

const deleteStatement: Statement = {
  name: 'delete_model',
  text: `WITH m AS (
      DELETE FROM models m USING projects p WHERE ${ofAccount} RETURNING m.*
    ), loose AS (
      INSERT INTO loose_objects (object_key) SELECT object_key FROM m
    ) SELECT ${columns} FROM m JOIN projects p USING (project_key)`,
};

/** Its file is loose from then on, and a worker removes it. A deployed model is a violation of a foreign key. */
export async function deleteModelRow(
  db: Queryable,
  accountId: string,
  projectId: string,
  modelId: string,
): Promise<ModelRow | undefined> {
  const [row] = await db.rows<ModelRow>(deleteStatement, [projectId, accountId, modelId]);
  return row;
}
