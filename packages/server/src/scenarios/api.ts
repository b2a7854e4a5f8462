import {
  limits,
  operations,
  type Request,
  type Response,
  type ScenarioQuestion,
  scenarioQuestions,
} from '@tastegraph/contract';
import { compileFilter } from '../filters/compile-filter.ts';
import { ApiError, invalidFields } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { listPage } from '../http/pages.ts';
import { parseJson } from '../kernel/lib/json.ts';
import { isForeignKeyViolation } from '../kernel/postgres/pool.ts';
import { getProject } from '../projects/get-project.ts';
import { lockProject } from '../projects/rows/projects.ts';
import { placementOf } from '../serving/placement.ts';
import { compileRules } from '../serving/rules/compile-rules.ts';
import { getScenario, requireScenario } from './get-scenario.ts';
import {
  countScenarios,
  deleteScenarioRow,
  insertScenario,
  listScenarioRows,
  type ScenarioRow,
  updateScenarioRow,
} from './rows.ts';

/** A scenario as the API returns it, without internal keys. */
const scenario = (row: ScenarioRow): Response<'getScenario'> => ({
  project_id: row.project_id,
  name: row.name,
  question: row.question,
  version: row.version,
  created_ts: row.created_ts,
  updated_ts: row.updated_ts,
  ...(parseJson(row.settings) as object),
});

const handlers = {
  createScenario: async (call, { project_id, name, question, ...settings }) => {
    const { db, accountId } = call;
    await checkSettings(accountId, question, settings);
    const created = await db.transaction(async (tx) => {
      // So that concurrent calls cannot both take the last place.
      await lockProject(tx, accountId, project_id);
      await getProject(call, project_id, tx);
      const row = await insertScenario(tx, accountId, project_id, {
        name,
        question,
        settings: JSON.stringify(settings),
      });
      if (!row)
        throw new ApiError(
          'SCENARIO_EXISTS',
          `The project already has a scenario \`${name}\`. Change it with /update-scenario, or choose another name.`,
        );
      if ((await countScenarios(tx, accountId, project_id)) > limits.scenariosPerProject)
        throw new ApiError(
          'QUOTA_EXCEEDED',
          `A project has at most ${limits.scenariosPerProject} scenarios. Delete those that you no longer need.`,
        );
      return row;
    });
    return scenario(created);
  },
  getScenario: async (call, { project_id, name, version }) =>
    scenario(await getScenario(call, project_id, name, version)),
  listScenarios: async (call, { project_id, ...request }) => {
    const { project_key } = await getProject(call, project_id);
    const { items, ...page } = await listPage(call, request, {
      name: `scenarios ${project_id}`,
      rows: (bounds) => listScenarioRows(call.db, bounds, project_key),
      keyOf: (row) => row.scenario_key,
      present: scenario,
    });
    return { scenarios: items, ...page };
  },
  /** Replaces all settings, as a new version. */
  updateScenario: async (call, { project_id, name, version, ...settings }) => {
    const { question } = await getScenario(call, project_id, name);
    await checkSettings(call.accountId, question, settings);
    const row = await updateScenarioRow(call.db, call.accountId, project_id, {
      name,
      settings: JSON.stringify(settings),
      expectedVersion: version,
      kept: limits.scenarioVersions,
    });
    if (row) return scenario(row);
    const current = await getScenario(call, project_id, name);
    throw new ApiError(
      'SCENARIO_CHANGED',
      `The current version of scenario \`${name}\` is ${current.version}. Read it with /get-scenario, apply your change to it and call again.`,
    );
  },
  /** Calls that name it are refused from now on. */
  deleteScenario: async ({ db, accountId, hooks }, { project_id: projectId, name }) => {
    const remove = async () => {
      const row = await deleteScenarioRow(db, accountId, projectId, name);
      return scenario(requireScenario(row, projectId, name));
    };
    try {
      return await remove();
    } catch (error) {
      // Only running experiments have a foreign key that prevents the delete.
      if (!isForeignKeyViolation(error)) throw error;
      const needed = await hooks.neededBy(db, { what: 'scenario', accountId, projectId, name });
      if (needed) throw needed;
      // The experiment was stopped meanwhile, so nothing needs the scenario any more.
      return remove();
    }
  },
} as const satisfies Handlers;

export const api = () => handlers;

type ScenarioSettings = Omit<Request<'updateScenario'>, 'project_id' | 'name' | 'version'>;

/** Throws an ApiError if the question has no such field, or a condition is not valid. The schema is already checked. */
async function checkSettings(
  accountId: string,
  question: ScenarioQuestion,
  settings: ScenarioSettings,
): Promise<void> {
  const { properties } = operations[scenarioQuestions[question]].request;
  const errors = Object.keys(settings)
    .filter((field) => !Object.hasOwn(properties, field))
    .map((path) => ({ path, message: `is not allowed for the question ${question}` }));
  if (errors.length > 0) throw invalidFields(errors);
  const placement = placementOf(settings);
  if (placement.filter_query !== null) compileFilter(placement.filter_query);
  await compileRules({ serving: { compileFilter }, project: { account_id: accountId } }, placement);
}
