import type { Response } from '@tastegraph/contract';
import { newestFirst } from '../../kernel/postgres/sql-fragments.ts';
import { one, value } from '../../kernel/postgres/statement.ts';

type Algorithm = Response<'getAlgorithm'>;

export interface AlgorithmRow extends Algorithm {
  readonly algorithm_key: number;
}

/** Every statement joins the project, which carries the account. */
const columns = `a.algorithm_key, p.project_id, a.algorithm_id, a.name, a.algorithm_type, a.algorithm_parameters`;

/** Undefined if the project does not exist. */
export const insertAlgorithm = one<
  [accountId: string, projectId: string, algorithm: Omit<Algorithm, 'project_id'>],
  AlgorithmRow
>(
  'insert_algorithm',
  `WITH a AS (
      INSERT INTO algorithms (project_key, algorithm_id, name, algorithm_type, algorithm_parameters)
      SELECT project_key, $3, $4, $5, $6 FROM projects WHERE project_id = $2 AND account_id = $1 RETURNING *
    ) SELECT ${columns} FROM a JOIN projects p USING (project_key)`,
  (accountId, projectId, algorithm) => [
    accountId,
    projectId,
    algorithm.algorithm_id,
    algorithm.name,
    algorithm.algorithm_type,
    algorithm.algorithm_parameters,
  ],
);

const ofAccount = `a.project_key = p.project_key AND a.algorithm_id = $3 AND p.project_id = $2 AND p.account_id = $1`;

/** Uses the unique index on algorithm_id, then checks project and account. */
export const findAlgorithm = one<[accountId: string, projectId: string, algorithmId: string], AlgorithmRow>(
  'find_algorithm',
  `SELECT ${columns} FROM algorithms a, projects p WHERE ${ofAccount}`,
);

/** Uses algorithms_by_project; the caller has checked the account. */
export const listAlgorithms = newestFirst<[projectKey: number], AlgorithmRow>(
  'list_algorithms',
  'a.algorithm_key',
  `SELECT ${columns} FROM algorithms a JOIN projects p USING (project_key) WHERE a.project_key = $4`,
);

/** Undefined fields stay unchanged. */
export const updateAlgorithmRow = one<
  [
    accountId: string,
    projectId: string,
    algorithmId: string,
    change: { name: string | undefined; parameters: Record<string, unknown> | undefined },
  ],
  AlgorithmRow
>(
  'update_algorithm',
  `UPDATE algorithms a SET name = coalesce($4, a.name),
      algorithm_parameters = coalesce($5::jsonb, a.algorithm_parameters)
    FROM projects p WHERE ${ofAccount} RETURNING ${columns}`,
  (accountId, projectId, algorithmId, change) => [
    accountId,
    projectId,
    algorithmId,
    change.name ?? null,
    change.parameters ?? null,
  ],
);

export const deleteAlgorithmRow = one<
  [accountId: string, projectId: string, algorithmId: string],
  AlgorithmRow
>('delete_algorithm', `DELETE FROM algorithms a USING projects p WHERE ${ofAccount} RETURNING ${columns}`);

/** Uses algorithms_by_project; the caller has checked the account. */
export const findNewestAlgorithm = value<[projectKey: number], string>(
  'find_newest_algorithm',
  'SELECT algorithm_id FROM algorithms WHERE project_key = $1 ORDER BY algorithm_key DESC LIMIT 1',
);
