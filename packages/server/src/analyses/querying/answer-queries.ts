import { limits } from '@tastegraph/contract';
import type { Work } from '../../jobs/engine/run-jobs.ts';
import type { AttemptRow } from '../../jobs/rows/attempts.ts';
import type { Database } from '../../kernel/postgres/pool.ts';
import { planTable } from '../plan-table.ts';
import type { PlannedFile } from '../protocol.ts';
import { type AnalysisSettings, runAnalysis } from '../run-analysis.ts';
import type { Queries, QueryingResult } from './protocol.ts';

const script = new URL('./querier.ts', import.meta.url);

/** The work of a QUERYING job. */
export function answerQueries(db: Database, settings: AnalysisSettings): Work<'QUERYING'> {
  return async (attempt, context) => {
    const plan = { script, files: planFiles(attempt), request: queriesOf(attempt) };
    const outcome = await runAnalysis<QueryingResult>(db, settings, attempt, context, plan);
    const { files, found, publish, discard } = outcome;
    return { result: { files, message: found.message }, publish, discard };
  };
}

function queriesOf({ job_data: data }: AttemptRow<'QUERYING'>): Queries {
  const { table_format } = data;
  if (data.query_type === 'user_list')
    return { query_type: data.query_type, queries: data.queries, table_format };
  const queries = data.queries.map((query) => ({ bins: limits.binsDefault, ...query }));
  return { query_type: data.query_type, queries, table_format };
}

function planFiles({ job_id, job_data }: AttemptRow<'QUERYING'>): PlannedFile[] {
  if (job_data.query_type === 'user_list') {
    const name = `user-list-${job_id}`;
    return [
      { object_name: 'users.ndjson', file_name: `${name}.ndjson`, content_type: 'application/x-ndjson' },
      ...planTable(name, job_data.table_format),
    ];
  }
  const name = `user-distribution-${job_id}`;
  return [
    { object_name: 'distributions.json', file_name: `${name}.json`, content_type: 'application/json' },
    ...job_data.queries.map((_, index) => ({
      object_name: `chart-${index}.svg`,
      file_name: `${name}-${index}.svg`,
      content_type: 'image/svg+xml',
    })),
    ...planTable(name, job_data.table_format),
  ];
}
