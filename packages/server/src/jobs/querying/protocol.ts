import type { JobRowOf } from '../../storage/postgres/jobs.ts';

type WithoutModel<Data> = Data extends unknown ? Omit<Data, 'model_id'> : never;

/** What the thread is asked. */
export type Queries = WithoutModel<JobRowOf<'QUERYING'>['job_data']>;
export type UserListQueries = Extract<Queries, { query_type: 'user_list' }>['queries'];
export type DistributionQueries = Extract<Queries, { query_type: 'user_distribution' }>['queries'];

/** What it says beside the files. */
export interface Answered {
  readonly message: string | null;
}
