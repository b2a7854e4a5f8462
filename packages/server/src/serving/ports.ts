import type { OperationName, operations, Request, ScenarioQuestion } from '@tastegraph/contract';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { DeployedModel } from '../projects/rows/deployments.ts';
import type { CallClock } from './call-clock.ts';
import type { Degradation } from './degradation.ts';
import type { ServedProject } from './rows/serving-reads.ts';

type Operations = typeof operations;

/** The operations of the concept Recommendation. */
export type QuestionName = {
  [Name in OperationName]: Operations[Name]['concept'] extends 'Recommendation' ? Name : never;
}[OperationName];

/** A scenario as it is stored. */
export interface ServedScenario {
  readonly name: string;
  readonly question: ScenarioQuestion;
  readonly version: number;
  /** JSON. */
  readonly settings: string;
  /** Its running experiment. */
  readonly experiment_id: string | null;
}

/** Reads the scenarios of these names that exist. */
export type ReadScenarios = (
  db: Queryable,
  project: ServedProject,
  names: readonly string[],
) => Promise<ServedScenario[]>;

export interface ResolvedSettings<Name extends QuestionName> {
  /** With the fields of its scenario that it does not set itself. */
  readonly request: Request<Name>;
  readonly version: number | null;
  /** The running experiment of the scenario. */
  readonly experimentId: string | null;
}

/** The settings of calls that name a scenario. */
export interface CallSettings {
  resolve<Name extends QuestionName>(
    name: Name,
    project: ServedProject,
    request: Request<Name>,
    clock: CallClock,
  ): Promise<ResolvedSettings<Name>>;
}

export interface Participant {
  readonly project: ServedProject;
  /** The running experiment of the call's scenario, as read for this call. */
  readonly experimentId: string | null | undefined;
  /** Calls without a user, and calls that name a model, are not part of an experiment. */
  readonly userId: string | undefined;
  readonly modelId: string | undefined;
  readonly clock: CallClock;
  readonly degraded: Degradation[];
}

/** What a call gets by its experiment. */
export interface AssignedVariant {
  readonly experiment_id: string;
  readonly name: string;
  /** Undefined for what is deployed. */
  readonly generator: DeployedModel | undefined;
  readonly ranker: DeployedModel | null;
  /** Undefined for the current version of the scenario. */
  readonly scenario: { readonly version: number; readonly settings: object } | undefined;
}

/** The variants of running experiments. */
export interface CallVariants {
  /** Undefined if the call is not part of an experiment. */
  assign(call: Participant): Promise<AssignedVariant | undefined>;
}
