import Type from 'typebox';
import { limits } from '../limits.ts';
import { Closed, Id, Named, Ts } from './fields.ts';
import { ScenarioName, settingFields } from './placement.ts';

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

const Version = (description: string) => Type.Integer({ minimum: 1, description });

const scenarioRef = { project_id: Id('project'), name: ScenarioName };

export const ScenarioRef = Closed(scenarioRef);

export const GetScenario = Closed({
  ...scenarioRef,
  version: Type.Optional(
    Version(
      `The version to return: the last ${limits.scenarioVersions} are kept. Defaults to the current one.`,
    ),
  ),
});

export const CreateScenario = Closed({ ...scenarioRef, question: Question, ...settingFields });

export const UpdateScenario = Closed({
  ...scenarioRef,
  version: Type.Optional(
    Version('The version that you have read. If it is not the current one, the update is refused.'),
  ),
  ...settingFields,
});

export const Scenario = Named(
  'Scenario',
  Closed({
    ...scenarioRef,
    question: Question,
    version: Version('Starts at 1, and increases by 1 with every update.'),
    created_ts: Ts('When the scenario was created'),
    updated_ts: Ts('When this version was created'),
    ...settingFields,
  }),
);
