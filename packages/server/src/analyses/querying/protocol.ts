import type { JobRowOf } from '../../jobs/rows/jobs.ts';
import type { TableFormat } from '../plan-table.ts';

type Data = JobRowOf<'QUERYING'>['job_data'];
type UserListQueries = Extract<Data, { query_type: 'user_list' }>['queries'];
type Distribution = Extract<Data, { query_type: 'user_distribution' }>['queries'][number];
type DistributionQueries = (Distribution & { readonly bins: number })[];

interface Tabular {
  readonly table_format: TableFormat | undefined;
}

export interface UserLists extends Tabular {
  readonly query_type: 'user_list';
  readonly queries: UserListQueries;
}

export interface Distributions extends Tabular {
  readonly query_type: 'user_distribution';
  readonly queries: DistributionQueries;
}

/** The thread's request. */
export type Queries = UserLists | Distributions;

/** The thread's result, besides the files. */
export interface QueryingResult {
  readonly message: string | null;
}
