import type { Static } from 'typebox';
import { type JobType, jobTypes, type SubmitName, submitNameOf } from '../endpoints.ts';
import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operations/operation.ts';
import { clustering } from './clustering.ts';
import { deployment } from './deployment.ts';
import { exporting } from './export.ts';
import { importing } from './import.ts';
import { JobSubmitted, type JobTypeContract } from './job-type.ts';
import { querying } from './querying.ts';
import { recommending } from './recommending.ts';
import { training } from './training.ts';

/** All job types. A `submit…Job` endpoint without an entry here, or the reverse, does not compile. */
export const jobContracts = {
  TRAINING: training,
  DEPLOYMENT: deployment,
  QUERYING: querying,
  CLUSTERING: clustering,
  EXPORT: exporting,
  IMPORT: importing,
  RECOMMENDING: recommending,
} as const satisfies Record<JobType, JobTypeContract>;

type Contracts = typeof jobContracts;
export type JobData<Type extends JobType = JobType> = { [T in Type]: Static<Contracts[T]['data']> }[Type];
export type JobResult<Type extends JobType = JobType> = { [T in Type]: Static<Contracts[T]['result']> }[Type];
export type SubmitRequest<Type extends JobType = JobType> = {
  [T in Type]: Static<Contracts[T]['submit']['request']>;
}[Type];

/** Under the name of each submit operation, what `of` returns for its job type. */
const bySubmitName = (of: (contract: JobTypeContract) => object): unknown =>
  Object.fromEntries(jobTypes.map((type) => [submitNameOf(type), of(jobContracts[type])]));

type SubmitOperation<Type extends JobType> = Contracts[Type]['submit'] & {
  readonly concept: 'Jobs';
  readonly response: typeof JobSubmitted;
  readonly errors: readonly ErrorCode[];
};

export const submitOperations = bySubmitName(
  ({ submit }): Operation => ({
    ...submit,
    concept: 'Jobs',
    response: JobSubmitted,
    errors: ['NOT_FOUND', 'QUOTA_EXCEEDED', ...(submit.errors ?? [])],
  }),
) as { readonly [Type in JobType as SubmitName<Type>]: SubmitOperation<Type> };

export const submitExamples = bySubmitName(({ example }) => example) as {
  readonly [Type in JobType as SubmitName<Type>]: Contracts[Type]['example'];
};
