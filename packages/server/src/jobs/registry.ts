import { type JobType, type SubmitName, submitNameOf } from '@tastegraph/contract';
import { clustering } from './clustering/job-type.ts';
import { deployment } from './deployment/job-type.ts';
import type { JobDefinition } from './engine/job-definition.ts';
import { exporting } from './export/job-type.ts';
import { importing } from './import/job-type.ts';
import { querying } from './querying/job-type.ts';
import { recommending } from './recommending/job-type.ts';
import { training } from './training/job-type.ts';

/** All job types. A type of the contract without an entry does not compile. */
const definitions: { readonly [Type in JobType]: JobDefinition<Type> } = {
  TRAINING: training,
  DEPLOYMENT: deployment,
  QUERYING: querying,
  CLUSTERING: clustering,
  EXPORT: exporting,
  IMPORT: importing,
  RECOMMENDING: recommending,
};

/** By type. Pass a definition only jobs of its own type: the compiler cannot check that here. */
export const jobDefinitions = new Map<string, unknown>(Object.entries(definitions)) as ReadonlyMap<
  JobType,
  JobDefinition<JobType>
>;

/** The handlers of all `submit…Job` operations. */
export const submitHandlers = Object.fromEntries(
  [...jobDefinitions].map(([type, { submit }]) => [submitNameOf(type), submit]),
) as { readonly [Type in JobType as SubmitName<Type>]: JobDefinition<Type>['submit'] };
