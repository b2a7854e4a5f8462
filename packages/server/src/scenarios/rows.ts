import type { ScenarioQuestion } from '@tastegraph/contract';
import { epochMs, newestFirst } from '../kernel/postgres/sql-fragments.ts';
import { count, many, one } from '../kernel/postgres/statement.ts';
import type { ServedScenario } from '../serving/ports.ts';
import { runningExperiment, type ServedProject } from '../serving/rows/serving-reads.ts';

export interface ScenarioRow {
  readonly scenario_key: number;
  readonly project_id: string;
  readonly name: string;
  readonly question: ScenarioQuestion;
  readonly version: number;
  /** JSON. */
  readonly settings: string;
  readonly created_ts: number;
  /** When this version was created. */
  readonly updated_ts: number;
}

const columns = `s.scenario_key, p.project_id, s.name, s.question, v.version, v.settings::text AS settings,
  ${epochMs('s.created_at')} AS created_ts, ${epochMs('v.created_at')} AS updated_ts`;

/** Undefined if the project does not exist, or has a scenario of this name. */
export const insertScenario = one<
  [accountId: string, projectId: string, scenario: Pick<ScenarioRow, 'name' | 'question' | 'settings'>],
  ScenarioRow
>(
  'insert_scenario',
  `WITH p AS (SELECT project_key, project_id FROM projects WHERE project_id = $2 AND account_id = $1),
    s AS (
      INSERT INTO scenarios (project_key, name, question) SELECT project_key, $3, $4 FROM p
      ON CONFLICT (project_key, name) DO NOTHING RETURNING *),
    v AS (
      INSERT INTO scenario_versions (scenario_key, version, settings) SELECT scenario_key, version, $5::json FROM s
      RETURNING *)
    SELECT ${columns} FROM s JOIN p USING (project_key) JOIN v USING (scenario_key)`,
  (accountId, projectId, { name, question, settings }) => [accountId, projectId, name, question, settings],
);

/** Uses scenarios_by_project. */
export const countScenarios = count<[accountId: string, projectId: string]>(
  'count_scenarios',
  `SELECT count(s.scenario_key)::integer AS count FROM projects p LEFT JOIN scenarios s USING (project_key)
    WHERE p.project_id = $2 AND p.account_id = $1`,
);

const ofAccount = `s.project_key = p.project_key AND s.name = $3 AND p.project_id = $2 AND p.account_id = $1`;

/** The current version, or another one that is still kept. */
export const findScenario = one<
  [accountId: string, projectId: string, name: string, version?: number],
  ScenarioRow
>(
  'find_scenario',
  `SELECT ${columns} FROM scenarios s, projects p, scenario_versions v
    WHERE ${ofAccount} AND v.scenario_key = s.scenario_key AND v.version = coalesce($4, s.version)`,
  (accountId, projectId, name, version) => [accountId, projectId, name, version ?? null],
);

/** Newest first, older than `beforeKey`. Uses scenarios_by_project; the caller has checked the account. */
export const listScenarioRows = newestFirst<[projectKey: number], ScenarioRow>(
  'list_scenarios',
  's.scenario_key',
  `SELECT ${columns} FROM scenarios s JOIN projects p USING (project_key) JOIN scenario_versions v USING (scenario_key, version)
    WHERE s.project_key = $4`,
);

interface ScenarioChange extends Pick<ScenarioRow, 'name' | 'settings'> {
  readonly kept: number;
  readonly expectedVersion: number | undefined;
}

/** Adds a version, the current one from now on; the last `kept` stay. Undefined if the current one is not `expectedVersion`. */
export const updateScenarioRow = one<
  [accountId: string, projectId: string, change: ScenarioChange],
  ScenarioRow
>(
  'update_scenario',
  `WITH s AS (
      UPDATE scenarios s SET version = s.version + 1 FROM projects p
      WHERE ${ofAccount} AND s.version = coalesce($6, s.version) RETURNING s.*),
    v AS (
      INSERT INTO scenario_versions (scenario_key, version, settings) SELECT scenario_key, version, $4::json FROM s
      RETURNING *),
    expired AS (
      DELETE FROM scenario_versions old USING s
      WHERE old.scenario_key = s.scenario_key AND old.version <= s.version - $5::integer)
    SELECT ${columns} FROM s JOIN projects p USING (project_key) JOIN v USING (scenario_key)`,
  (accountId, projectId, { name, settings, kept, expectedVersion }) => [
    accountId,
    projectId,
    name,
    settings,
    kept,
    expectedVersion ?? null,
  ],
);

/** Returns the deleted scenario. Its versions are deleted with it. */
export const deleteScenarioRow = one<[accountId: string, projectId: string, name: string], ScenarioRow>(
  'delete_scenario',
  `WITH found AS (
      SELECT ${columns} FROM scenarios s, projects p, scenario_versions v
      WHERE ${ofAccount} AND v.scenario_key = s.scenario_key AND v.version = s.version),
    deleted AS (DELETE FROM scenarios s USING found WHERE s.scenario_key = found.scenario_key RETURNING s.scenario_key)
    SELECT found.* FROM found JOIN deleted USING (scenario_key)`,
);

/** The current versions of the project's scenarios with these names, by the unique index on project and name. */
export const readScenarios = many<[project: ServedProject, names: readonly string[]], ServedScenario>(
  'read_scenarios',
  `SELECT s.name, s.question, s.version, v.settings::text AS settings,
      ${runningExperiment('s.project_key', 's.name')} AS experiment_id
    FROM scenarios s JOIN projects p USING (project_key) JOIN scenario_versions v USING (scenario_key, version)
    WHERE s.project_key = $1 AND p.project_id = $2 AND s.name = ANY($3::text[])`,
  ({ project_key, project_id }, names) => [project_key, project_id, names],
);
