import { limits, type Request } from '@tastegraph/contract';
import { lockAccount } from '../accounts/rows/accounts.ts';
import { ApiError, invalidField, notFound } from '../http/api-error.ts';
import type { Context } from '../http/context.ts';
import { newId } from '../http/ids.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { requireProject } from '../projects/get-project.ts';
import { findProject, lockProject } from '../projects/rows/projects.ts';
import { requireScenario } from '../scenarios/get-scenario.ts';
import { findScenario } from '../scenarios/rows.ts';
import { getExperiment } from './get-experiment.ts';
import {
  countRunningExperiments,
  deleteOldExperiments,
  type ExperimentRow,
  findRunningExperiment,
  insertExperiment,
  listModelKeys,
  type NewExperiment,
} from './rows/experiments.ts';

type Sent = Omit<Request<'createExperiment'>, 'project_id'>;
type Variants = NewExperiment['variants'];

/** Calls without a scenario. */
const defaultScenario = 'default';
const defaultWindowHours = 24;
/** Ten shares of 0.1 add up to a little less or more than 1. */
const rounding = 1e-9;

/** The experiment starts with the next call on every process. */
export async function createExperiment(ctx: Context, projectId: string, sent: Sent): Promise<ExperimentRow> {
  const shares = checkVariants(sent);
  const experimentId = newId('experiment');
  await ctx.db.transaction(async (tx) => {
    // So that concurrent calls cannot both take the last place.
    await lockAccount(tx, ctx.accountId);
    await lockProject(tx, ctx.accountId, projectId);
    const { project_key } = requireProject(await findProject(tx, ctx.accountId, projectId), projectId);
    if ((await countRunningExperiments(tx, ctx.accountId)) >= limits.runningExperiments)
      throw new ApiError(
        'QUOTA_EXCEEDED',
        `An account has at most ${limits.runningExperiments} running experiments. Stop those that you no longer need with /stop-experiment.`,
      );
    const scope = { tx, accountId: ctx.accountId, projectId, projectKey: project_key };
    const isInserted = await insertExperiment(tx, project_key, {
      experiment_id: experimentId,
      name: sent.name,
      scenario: sent.scenario,
      scenario_key: await findScenarioKey(scope, sent),
      metric: sent.metric ?? 'CONVERTED',
      window_hours: sent.window_hours ?? defaultWindowHours,
      variants: await resolveVariants(scope, sent, shares),
    });
    if (!isInserted) throw await explainRunning(scope, sent.scenario);
    await deleteOldExperiments(tx, project_key, limits.experimentsPerProject);
  });
  return getExperiment(ctx, projectId, experimentId);
}

/** The share of each variant. */
function checkVariants({ variants, scenario }: Sent): number[] {
  const names = new Set<string>();
  for (const [index, { name, model_id, ranker_model_id, scenario_version }] of variants.entries()) {
    if (names.has(name))
      throw invalidField(`variants.${index}.name`, 'must differ from those of other variants');
    names.add(name);
    if (ranker_model_id !== undefined && model_id === undefined)
      throw invalidField(
        `variants.${index}.ranker_model_id`,
        'needs model_id, the model that it orders items of',
      );
    if (scenario_version !== undefined && scenario === defaultScenario)
      throw invalidField(
        `variants.${index}.scenario_version`,
        'is not possible for calls without a scenario: create a scenario first',
      );
  }
  const given = variants.flatMap(({ share }) => share ?? []);
  if (given.length === 0) return variants.map(() => 1 / variants.length);
  if (given.length < variants.length)
    throw invalidField('variants', 'must all have a share, or none, so that all get the same');
  const sum = given.reduce((total, share) => total + share, 0);
  if (sum > 1 + rounding)
    throw invalidField('variants', `must have shares that add up to at most 1, not ${sum}`);
  return given;
}

interface Scope {
  readonly tx: Queryable;
  readonly accountId: string;
  readonly projectId: string;
  readonly projectKey: number;
}

async function findScenarioKey(
  { tx, accountId, projectId }: Scope,
  { scenario }: Sent,
): Promise<number | null> {
  if (scenario === defaultScenario) return null;
  const row = await findScenario(tx, accountId, projectId, scenario);
  return requireScenario(row, projectId, scenario).scenario_key;
}

async function resolveVariants(
  { tx, accountId, projectId, projectKey }: Scope,
  { scenario, variants }: Sent,
  shares: readonly number[],
): Promise<Variants> {
  const modelIds = variants
    .flatMap(({ model_id, ranker_model_id }) => [model_id, ranker_model_id])
    .filter((modelId) => modelId !== undefined);
  const models = await listModelKeys(tx, projectKey, modelIds);
  const keys = new Map(models.map(({ model_id, model_key }) => [model_id, model_key]));
  const missing = modelIds.find((modelId) => !keys.has(modelId));
  if (missing !== undefined) throw notFound('Model', missing, projectId);
  const keyOf = (modelId: string | undefined) => (modelId === undefined ? null : (keys.get(modelId) ?? null));
  const resolved: Variants[number][] = [];
  for (const [index, { name, model_id, ranker_model_id, scenario_version }] of variants.entries()) {
    const version =
      scenario_version === undefined
        ? undefined
        : await findScenario(tx, accountId, projectId, scenario, scenario_version);
    if (scenario_version !== undefined && !version)
      throw new ApiError(
        'NOT_FOUND',
        `Version ${scenario_version} of scenario \`${scenario}\` was not found. The last ${limits.scenarioVersions} versions are kept: choose one that /get-scenario returns.`,
      );
    resolved.push({
      name,
      share: shares[index] ?? 0,
      model_id: model_id ?? null,
      ranker_model_id: ranker_model_id ?? null,
      scenario_version: scenario_version ?? null,
      model_key: keyOf(model_id),
      ranker_model_key: keyOf(ranker_model_id),
      settings: version?.settings ?? null,
    });
  }
  return resolved;
}

async function explainRunning({ tx, accountId, projectId }: Scope, scenario: string): Promise<ApiError> {
  const running = await findRunningExperiment(tx, accountId, projectId, { scenario });
  return new ApiError(
    'EXPERIMENT_RUNNING',
    `Experiment \`${running}\` is running in scenario \`${scenario}\`. Stop it with /stop-experiment, or create a scenario for this one.`,
  );
}
