import { type JobType, type SubmitName, submitNameOf } from '@tastegraph/contract';
import { clustering } from '../analyses/clustering/job.ts';
import { querying } from '../analyses/querying/job.ts';
import { recommending } from '../batches/job.ts';
import { deployment } from '../deployments/job.ts';
import { exporting } from '../exports/job.ts';
import { importing } from '../imports/job.ts';
import type { JobDefinition } from '../jobs/engine/job-definition.ts';
import { training } from '../training/job.ts';

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
