import type { JobType, OperationName } from '@tastegraph/contract';
import type { AccountContents } from '../accounts/contents.ts';
import { accounts } from '../accounts/index.ts';
import { analyses } from '../analyses/index.ts';
import { audit } from '../audit/index.ts';
import { batches } from '../batches/index.ts';
import { datasets } from '../datasets/index.ts';
import { deployments } from '../deployments/index.ts';
import { erasure } from '../erasure/index.ts';
import { experiments } from '../experiments/index.ts';
import { exports } from '../exports/index.ts';
import type { Handlers } from '../http/handlers.ts';
import type { Hooks } from '../http/hooks.ts';
import * as httpMetrics from '../http/metrics.ts';
import { imports } from '../imports/index.ts';
import type { JobDefinition } from '../jobs/engine/job-definition.ts';
import { jobs } from '../jobs/index.ts';
import type { MetricDefinition } from '../kernel/observability/metrics.ts';
import { keys } from '../keys/index.ts';
import type { Module } from '../module.ts';
import type { AttributedRun } from '../outcomes/attribution/attributed.ts';
import { outcomes } from '../outcomes/index.ts';
import { people } from '../people/index.ts';
import { projects } from '../projects/index.ts';
import { scenarios } from '../scenarios/index.ts';
import { schedules } from '../schedules/index.ts';
import type { Services } from '../services.ts';
import * as servingMetrics from '../serving/metrics.ts';
import { training } from '../training/index.ts';
import { usage } from '../usage/index.ts';
import { webhooks } from '../webhooks/index.ts';
import * as processMetrics from './metrics.ts';

/**
 * Every module of the server. `keys` comes after `people`, because it rejects calls without credentials; and who refers to
 * rows of others comes before them, because the contents of an account are removed in this order.
 */
const listed = {
  exports,
  imports,
  erasure,
  batches,
  experiments,
  scenarios,
  schedules,
  webhooks,
  analyses,
  deployments,
  training,
  outcomes,
  jobs,
  projects,
  datasets,
  usage,
  audit,
  people,
  keys,
  accounts,
};

export const modules: readonly Module[] = Object.values(listed);

type Listed = (typeof listed)[keyof typeof listed];
/** Never for an `api` that is typed as handlers of any operation, which would hide what is missing. */
type ApiOf<M> = M extends { api: () => Promise<(services: never) => infer H> }
  ? Handlers extends Awaited<H>
    ? never
    : Awaited<H>
  : never;
type KeysOf<Union> = Union extends unknown ? keyof Union : never;
type JobsOf<M> = M extends { jobs: infer Jobs } ? keyof Jobs : never;
type SubmitNameOf<Type extends string> = `submit${Capitalize<Lowercase<Type>>}Job`;

/** The operations that a process of the API answers. */
type ApiOperation = KeysOf<ApiOf<Listed>> | SubmitNameOf<JobsOf<Listed>>;
type Unanswered<Serving extends string> = Exclude<OperationName, ApiOperation | Serving>;

/** Does not compile if an operation has no module, or a job type no definition. */
export function requireComplete<Serving extends string>(
  _serving: Record<Serving, unknown>,
  ..._missing: [Unanswered<Serving>] extends [never]
    ? [JobType] extends [JobsOf<Listed>]
      ? []
      : [Exclude<JobType, JobsOf<Listed>>]
    : [Unanswered<Serving>]
): void {}

const definitions = Object.assign({}, ...modules.map((module) => module.jobs ?? {})) as {
  readonly [Type in JobType]: () => Promise<JobDefinition<Type>>;
};

export const jobTypes = Object.keys(definitions) as readonly JobType[];

export const jobDefinition: Services['jobDefinition'] = (type) => definitions[type]();

export async function hasUserIdFields(type: string): Promise<boolean> {
  if (!Object.hasOwn(definitions, type)) return false;
  return (await definitions[type as JobType]()).hasUserIdFields ?? false;
}

export const metricDefinitions: readonly MetricDefinition[] = [
  ...[httpMetrics, servingMetrics, processMetrics].flatMap((all) => Object.values<MetricDefinition>(all)),
  ...modules.flatMap(({ metrics = [] }) => metrics),
];

export async function accountContents(): Promise<readonly AccountContents[]> {
  return Promise.all(modules.flatMap(({ account }) => (account ? [account()] : [])));
}

export const hooks: Hooks = {
  async announce(...said) {
    for (const { on } of modules) await on?.announce?.(...said);
  },
  // What submits jobs comes before the jobs, so that none names the user afterwards.
  async forgetUser(db, user) {
    for (const { on } of modules) await on?.forgetUser?.(db, user);
  },
  async neededBy(db, row) {
    for (const { on } of modules) {
      const needed = await on?.neededBy?.[row.what]?.(db, row as never);
      if (needed) return needed;
    }
    return undefined;
  },
};

export async function attributed(run: AttributedRun): ReturnType<Services['attributed']> {
  const writes: Awaited<ReturnType<Services['attributed']>>[] = [];
  for (const { on } of modules) if (on?.attributed) writes.push(await on.attributed(run));
  return async (tx) => {
    for (const write of writes) await write(tx);
  };
}
