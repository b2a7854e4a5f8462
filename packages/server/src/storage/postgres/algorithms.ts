import type { AlgorithmType } from '@tastegraph/contract';
import type { Queryable, Statement } from './pool.ts';
import { boundedRows, type PageBounds, type PageRow } from './sql-fragments.ts';

export interface AlgorithmRow {
  readonly algorithm_key: number;
  readonly project_id: string;
  readonly algorithm_id: string;
  readonly name: string;
  readonly algorithm_type: AlgorithmType;
  readonly algorithm_parameters: Record<string, unknown>;
}

export type NewAlgorithm = Pick<
  AlgorithmRow,
  'algorithm_id' | 'name' | 'algorithm_type' | 'algorithm_parameters'
>;

/** Every statement joins the project, which carries the account. */
const columns = `a.algorithm_key, p.project_id, a.algorithm_id, a.name, a.algorithm_type, a.algorithm_parameters`;

const insertStatement: Statement = {
  name: 'insert_algorithm',
  text: `WITH a AS (
      INSERT INTO algorithms (project_key, algorithm_id, name, algorithm_type, algorithm_parameters)
      SELECT project_key, $3, $4, $5, $6 FROM projects WHERE project_id = $1 AND account_id = $2 RETURNING *
    ) SELECT ${columns} FROM a JOIN projects p USING (project_key)`,
};

/** Undefined if the project does not exist. */
export async function insertAlgorithm(
  db: Queryable,
  accountId: string,
  projectId: string,
  algorithm: NewAlgorithm,
): Promise<AlgorithmRow | undefined> {
  const [row] = await db.rows<AlgorithmRow>(insertStatement, [
    projectId,
    accountId,
    algorithm.algorithm_id,
    algorithm.name,
    algorithm.algorithm_type,
    algorithm.algorithm_parameters,
  ]);
  return row;
}

const ofAccount = `a.project_key = p.project_key AND a.algorithm_id = $3 AND p.project_id = $1 AND p.account_id = $2`;

const findStatement: Statement = {
  name: 'find_algorithm',
  text: `SELECT ${columns} FROM algorithms a, projects p WHERE ${ofAccount}`,
};

/** Uses the unique index on algorithm_id, then checks project and account. */
export async function findAlgorithm(
  db: Queryable,
  accountId: string,
  projectId: string,
  algorithmId: string,
): Promise<AlgorithmRow | undefined> {
  const [row] = await db.rows<AlgorithmRow>(findStatement, [projectId, accountId, algorithmId]);
  return row;
}

const listStatement: Statement = {
  name: 'list_algorithms',
  text: boundedRows(
    'algorithm_key DESC',
    '$4',
    `SELECT ${columns} FROM algorithms a JOIN projects p USING (project_key)
      WHERE a.project_key = $1 AND a.algorithm_key < $2 ORDER BY a.algorithm_key DESC LIMIT $3`,
  ),
};

/** Newest first, older than `beforeKey`. Uses algorithms_by_project; the caller has checked the account. */
export async function listAlgorithms(
  db: Queryable,
  projectKey: number,
  { beforeKey, limit, bytes }: PageBounds,
): Promise<(AlgorithmRow & PageRow)[]> {
  return db.rows(listStatement, [projectKey, beforeKey, limit, bytes]);
}

const updateStatement: Statement = {
  name: 'update_algorithm',
  text: `UPDATE algorithms a SET name = coalesce($4, a.name),
      algorithm_parameters = coalesce($5::jsonb, a.algorithm_parameters)
    FROM projects p WHERE ${ofAccount} RETURNING ${columns}`,
};

/** Undefined fields stay unchanged. */
export async function updateAlgorithmRow(
  db: Queryable,
  accountId: string,
  projectId: string,
  algorithmId: string,
  change: { name: string | undefined; parameters: Record<string, unknown> | undefined },
): Promise<AlgorithmRow | undefined> {
  const values = [projectId, accountId, algorithmId, change.name ?? null, change.parameters ?? null];
  const [row] = await db.rows<AlgorithmRow>(updateStatement, values);
  return row;
}

const deleteStatement: Statement = {
  name: 'delete_algorithm',
  text: `DELETE FROM algorithms a USING projects p WHERE ${ofAccount} RETURNING ${columns}`,
};

export async function deleteAlgorithmRow(
  db: Queryable,
  accountId: string,
  projectId: string,
  algorithmId: string,
): Promise<AlgorithmRow | undefined> {
  const [row] = await db.rows<AlgorithmRow>(deleteStatement, [projectId, accountId, algorithmId]);
  return row;
}

const newestStatement: Statement = {
  name: 'find_newest_algorithm',
  text: 'SELECT algorithm_id FROM algorithms WHERE project_key = $1 ORDER BY algorithm_key DESC LIMIT 1',
};

/** Uses algorithms_by_project; the caller has checked the account. */
export async function findNewestAlgorithm(db: Queryable, projectKey: number): Promise<string | undefined> {
  const [row] = await db.rows<{ algorithm_id: string }>(newestStatement, [projectKey]);
  return row?.algorithm_id;
}
