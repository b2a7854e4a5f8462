import type { JobRowOf } from '../../storage/postgres/jobs.ts';

type Data = JobRowOf<'QUERYING'>['job_data'];
export type UserListQueries = Extract<Data, { query_type: 'user_list' }>['queries'];
type Distribution = Extract<Data, { query_type: 'user_distribution' }>['queries'][number];
export type DistributionQueries = (Distribution & { readonly bins: number })[];

/** What the thread is asked. */
export type Queries =
  | { readonly query_type: 'user_list'; readonly queries: UserListQueries }
  | { readonly query_type: 'user_distribution'; readonly queries: DistributionQueries };

/** What it says beside the files. */
export interface Answered {
  readonly message: string | null;
}
