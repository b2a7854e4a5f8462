import type { JobRowOf } from '../../storage/postgres/jobs.ts';

type Data = JobRowOf<'QUERYING'>['job_data'];
export type UserListQueries = Extract<Data, { query_type: 'user_list' }>['queries'];
type Distribution = Extract<Data, { query_type: 'user_distribution' }>['queries'][number];
export type DistributionQueries = (Distribution & { readonly bins: number })[];

/** The thread's request. */
export type Queries =
  | { readonly query_type: 'user_list'; readonly queries: UserListQueries }
  | { readonly query_type: 'user_distribution'; readonly queries: DistributionQueries };

/** The thread's result, besides the files. */
export interface QueryingResult {
  readonly message: string | null;
}
