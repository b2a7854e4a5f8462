import { type AccountContents, removeInOrder } from '../accounts/contents.ts';
import { affected, none, only, value } from '../kernel/postgres/statement.ts';
import { modelObjects } from './rows/models.ts';
import { deleteProjectRow, lockProject } from './rows/projects.ts';

const countProjects = only<[accountId: string], { projects: number; models: number }>(
  'count_projects_of_account',
  `SELECT (SELECT count(*) FROM projects p WHERE p.account_id = $1)::int AS projects,
      (SELECT count(*) FROM projects p JOIN models USING (project_key) WHERE p.account_id = $1)::int AS models`,
);

const endDeployments = none<[accountId: string]>(
  'end_deployments_of_account',
  'DELETE FROM deployments d USING projects p WHERE d.project_key = p.project_key AND p.account_id = $1',
);

const removeDeployments = affected<[accountId: string, limit: number]>(
  'remove_account_deployments',
  `DELETE FROM deployments WHERE project_key = ANY (ARRAY(
      SELECT d.project_key FROM projects p JOIN deployments d USING (project_key) WHERE p.account_id = $1 LIMIT $2))
    RETURNING project_key`,
);

const removeModels = affected<[accountId: string, limit: number]>(
  'remove_account_models',
  `WITH removed AS (
      DELETE FROM models WHERE model_key = ANY (ARRAY(
        SELECT m.model_key FROM projects p JOIN models m USING (project_key) WHERE p.account_id = $1 LIMIT $2)) RETURNING *
    ), orphaned AS (
      INSERT INTO loose_objects (object_key) ${modelObjects('removed')} ON CONFLICT DO NOTHING
    ) SELECT model_key FROM removed`,
);

const removeAlgorithms = affected<[accountId: string, limit: number]>(
  'remove_account_algorithms',
  `DELETE FROM algorithms WHERE algorithm_key = ANY (ARRAY(
      SELECT g.algorithm_key FROM projects p JOIN algorithms g USING (project_key) WHERE p.account_id = $1 LIMIT $2))
    RETURNING algorithm_key`,
);

const findAnyProject = value<[accountId: string], string>(
  'find_project_of_deleted_account',
  'SELECT project_id FROM projects WHERE account_id = $1 ORDER BY project_key DESC LIMIT 1',
);

const removeRows = removeInOrder({
  deployments: removeDeployments,
  models: removeModels,
  algorithms: removeAlgorithms,
});

export const account: AccountContents = {
  count: countProjects,
  stop: endDeployments,
  async remove(tx, accountId, limit) {
    const removed = await removeRows(tx, accountId, limit);
    if (removed) return removed;
    const projectId = await findAnyProject(tx, accountId);
    if (projectId === undefined) return undefined;
    await lockProject(tx, accountId, projectId);
    return { projects: (await deleteProjectRow(tx, accountId, projectId)) ? 1 : 0 };
  },
};
