import Type from 'typebox';
import { ids, lastPage, minute, morning } from '../bookshop.ts';
import { Closed, Id, NamedObject, Ordinal, Page, PageQuery, Ts } from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';
import { ScenarioName, settingFields } from './placements.ts';

/** The values of `question`: the recommendation operations that a scenario may be for. */
export const scenarioQuestions = {
  ITEMS_TO_USER: 'recommendItemsToUser',
  ITEMS_TO_ITEM: 'recommendItemsToItem',
  RANKING: 'rankItemsForUser',
  POPULAR: 'recommendPopularItems',
} as const;

export type ScenarioQuestion = keyof typeof scenarioQuestions;

export const Question = Type.Enum(Object.keys(scenarioQuestions) as ScenarioQuestion[], {
  description:
    'The recommendation call that the scenario is for: `ITEMS_TO_USER` for `/recommend-items-to-user`, `ITEMS_TO_ITEM` for `/recommend-items-to-item`, `RANKING` for `/rank-items-for-user`, `POPULAR` for `/recommend-popular-items`.',
});

const scenarioRef = { project_id: Id('project'), name: ScenarioName };

const GetScenario = Closed({
  ...scenarioRef,
  version: Type.Optional(
    Ordinal(
      `The version to return: the last ${limits.scenarioVersions} are kept. Defaults to the current one.`,
    ),
  ),
});

const UpdateScenario = Closed({
  ...scenarioRef,
  version: Type.Optional(
    Ordinal('The version that you have read. If it is not the current one, the update is refused.'),
  ),
  ...settingFields,
});

const Scenario = NamedObject('Scenario', {
  ...scenarioRef,
  question: Question,
  version: Ordinal('Starts at 1, and increases by 1 with every update.'),
  created_ts: Ts('When the scenario was created'),
  updated_ts: Ts('When this version was created'),
  ...settingFields,
});

const operations = {
  createScenario: {
    summary: 'Create a scenario',
    description:
      'A scenario is a named set of fields of a recommendation call. A call with this name in `scenario` uses these fields; fields of the call itself override them.',
    request: Closed({ ...scenarioRef, question: Question, ...settingFields }),
    response: Scenario,
    errors: ['NOT_FOUND', 'SCENARIO_EXISTS', 'QUOTA_EXCEEDED'],
  },
  getScenario: {
    summary: 'Get a scenario',
    description: `Returns the current version, or one of the last ${limits.scenarioVersions}.`,
    request: GetScenario,
    response: Scenario,
    errors: ['NOT_FOUND'],
  },
  listScenarios: {
    summary: "List a project's scenarios",
    description: `Returns the current version of each scenario, newest scenario first. A project has at most ${limits.scenariosPerProject}.`,
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('scenarios', Scenario),
    errors: ['NOT_FOUND'],
  },
  updateScenario: {
    summary: 'Replace the settings of a scenario',
    description:
      'Creates a new version with exactly the fields that you send; fields that you leave out return to their defaults. The new version takes effect with the next call on every process.',
    request: UpdateScenario,
    response: Scenario,
    errors: ['NOT_FOUND', 'SCENARIO_CHANGED'],
  },
  deleteScenario: {
    summary: 'Delete a scenario and its versions',
    description:
      'Returns the deleted scenario. From the next call on, calls with its name fail with `NOT_FOUND`.',
    request: Closed(scenarioRef),
    response: Scenario,
    errors: ['NOT_FOUND', 'EXPERIMENT_RUNNING'],
  },
} as const satisfies Record<string, OperationFields>;

const ref = { project_id: ids.project, name: 'home' };
const settings = {
  limit: 12,
  attributes: ['title', 'price'],
  filter_query: 'item.price < 50.0',
  diversity: { attribute: 'genres', max_per_value: 3 },
};
const scenario = {
  ...ref,
  question: 'ITEMS_TO_USER' as const,
  version: 1,
  created_ts: morning,
  updated_ts: morning,
  ...settings,
};
const boosts = [{ if: 'item.year >= 2025', factor: 1.5 }];

export const scenarioOperations = defineOperations('Scenarios', operations, {
  createScenario: { request: { ...ref, question: 'ITEMS_TO_USER', ...settings }, response: scenario },
  getScenario: { request: ref, response: scenario },
  listScenarios: { request: { project_id: ids.project }, response: { scenarios: [scenario], ...lastPage } },
  updateScenario: {
    request: { ...ref, ...settings, boosts },
    response: { ...scenario, version: 2, updated_ts: morning + minute, boosts },
  },
  deleteScenario: { request: ref, response: scenario },
});
