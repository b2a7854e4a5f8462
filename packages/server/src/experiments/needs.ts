import { ApiError } from '../http/api-error.ts';
import type { Deleting } from '../http/hooks.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { findRunningExperiment } from './rows/experiments.ts';

type DeletingModel = Extract<Deleting, { what: 'model' }>;
type DeletingScenario = Extract<Deleting, { what: 'scenario' }>;

/** Why a model must stay: a running experiment compares it. */
export async function needsModel(db: Queryable, row: DeletingModel): Promise<ApiError | undefined> {
  const { accountId, projectId, modelId } = row;
  const experiment = await findRunningExperiment(db, accountId, projectId, { modelId });
  if (experiment === undefined) return undefined;
  return new ApiError(
    'EXPERIMENT_RUNNING',
    `Experiment \`${experiment}\` needs model \`${modelId}\`. Stop it with /stop-experiment, then delete the model.`,
  );
}

/** Why a scenario must stay: an experiment is running in it. */
export async function needsScenario(db: Queryable, row: DeletingScenario): Promise<ApiError | undefined> {
  const { accountId, projectId, name } = row;
  const experiment = await findRunningExperiment(db, accountId, projectId, { scenario: name });
  if (experiment === undefined) return undefined;
  return new ApiError(
    'EXPERIMENT_RUNNING',
    `Experiment \`${experiment}\` is running in scenario \`${name}\`. Stop it with /stop-experiment, then delete the scenario.`,
  );
}
