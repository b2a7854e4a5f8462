import { limits } from '../limits.ts';
import { Closed, Id, Page, PageQuery } from '../schemas/fields.ts';
import { CreateScenario, GetScenario, Scenario, ScenarioRef, UpdateScenario } from '../schemas/scenario.ts';
import type { Operation } from './operation.ts';

export const scenarioOperations = {
  createScenario: {
    concept: 'Scenarios',
    summary: 'Create a scenario',
    description:
      'A scenario is a named set of fields of a recommendation call. A call with this name in `scenario` uses these fields; fields of the call itself override them.',
    request: CreateScenario,
    response: Scenario,
    errors: ['NOT_FOUND', 'SCENARIO_EXISTS', 'QUOTA_EXCEEDED'],
  },
  getScenario: {
    concept: 'Scenarios',
    summary: 'Get a scenario',
    description: `Returns the current version, or one of the last ${limits.scenarioVersions}.`,
    request: GetScenario,
    response: Scenario,
    errors: ['NOT_FOUND'],
  },
  listScenarios: {
    concept: 'Scenarios',
    summary: "List a project's scenarios",
    description: `Returns the current version of each scenario, newest scenario first. A project has at most ${limits.scenariosPerProject}.`,
    request: Closed({ project_id: Id('project'), ...PageQuery }),
    response: Page('scenarios', Scenario),
    errors: ['NOT_FOUND'],
  },
  updateScenario: {
    concept: 'Scenarios',
    summary: 'Replace the settings of a scenario',
    description:
      'Creates a new version with exactly the fields that you send; fields that you leave out return to their defaults. The new version takes effect with the next call on every process.',
    request: UpdateScenario,
    response: Scenario,
    errors: ['NOT_FOUND', 'SCENARIO_CHANGED'],
  },
  deleteScenario: {
    concept: 'Scenarios',
    summary: 'Delete a scenario and its versions',
    description:
      'Returns the deleted scenario. From the next call on, calls with its name fail with `NOT_FOUND`.',
    request: ScenarioRef,
    response: Scenario,
    errors: ['NOT_FOUND', 'EXPERIMENT_RUNNING'],
  },
} as const satisfies Record<string, Operation>;
