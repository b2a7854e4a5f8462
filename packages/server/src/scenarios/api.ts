import type { Response } from '@tastegraph/contract';
import type { Handlers } from '../http/handlers.ts';
import { parseJson } from '../kernel/lib/json.ts';
import { checkSettings } from './check-settings.ts';
import { createScenario } from './create-scenario.ts';
import { deleteScenario } from './delete-scenario.ts';
import { getScenario } from './get-scenario.ts';
import { listScenarios } from './list-scenarios.ts';
import { updateScenario } from './update-scenario.ts';

type ScenarioRow = Awaited<ReturnType<typeof getScenario>>;

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
    await checkSettings(call.accountId, question, settings);
    const created = { name, question, settings: JSON.stringify(settings) };
    return scenario(await createScenario(call, project_id, created));
  },
  getScenario: async (call, { project_id, name, version }) =>
    scenario(await getScenario(call, project_id, name, version)),
  listScenarios: async (call, { project_id, ...request }) => {
    const { items, ...page } = await listScenarios(call, project_id, request, scenario);
    return { scenarios: items, ...page };
  },
  updateScenario: async (call, { project_id, name, version, ...settings }) => {
    const { question } = await getScenario(call, project_id, name);
    await checkSettings(call.accountId, question, settings);
    const change = { name, version, settings: JSON.stringify(settings) };
    return scenario(await updateScenario(call, project_id, change));
  },
  deleteScenario: async (call, { project_id, name }) =>
    scenario(await deleteScenario(call, project_id, name)),
} as const satisfies Handlers;

export const api = () => handlers;
