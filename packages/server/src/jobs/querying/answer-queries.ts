import { limits } from '@tastegraph/contract';
import type { AttemptRow } from '../../storage/postgres/attempts.ts';
import type { Database } from '../../storage/postgres/pool.ts';
import type { PlannedFile } from '../analysis/protocol.ts';
import { type AnalysisSettings, runAnalysis } from '../analysis/run-analysis.ts';
import type { Work } from '../engine/run-jobs.ts';
import type { Answered, Queries } from './protocol.ts';

const script = new URL('./querier.ts', import.meta.url);

/** What a worker does for a QUERYING job. */
export function answerQueries(db: Database, settings: AnalysisSettings): Work<'QUERYING'> {
  return async (attempt, tools) => {
    const plan = { script, files: planFiles(attempt), question: queriesOf(attempt) };
    const analysed = await runAnalysis<Answered>(db, settings, attempt, tools, plan);
    const { files, found, publish, discard } = analysed;
    return { result: { files, message: found.message }, publish, discard };
  };
}

function queriesOf({ job_data: data }: AttemptRow<'QUERYING'>): Queries {
  if (data.query_type === 'user_list') return { query_type: data.query_type, queries: data.queries };
  const queries = data.queries.map((query) => ({ bins: limits.binsDefault, ...query }));
  return { query_type: data.query_type, queries };
}

function planFiles({ job_id, job_data }: AttemptRow<'QUERYING'>): PlannedFile[] {
  if (job_data.query_type === 'user_list')
    return [
      {
        object_name: 'users.ndjson',
        file_name: `user-list-${job_id}.ndjson`,
        content_type: 'application/x-ndjson',
      },
    ];
  const name = `user-distribution-${job_id}`;
  return [
    { object_name: 'distributions.json', file_name: `${name}.json`, content_type: 'application/json' },
    ...job_data.queries.map((_, place) => ({
      object_name: `chart-${place}.svg`,
      file_name: `${name}-${place}.svg`,
      content_type: 'image/svg+xml',
    })),
  ];
}
