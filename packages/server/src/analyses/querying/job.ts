import { limits, type Request } from '@tastegraph/contract';
import { findUnstorable } from '../../datasets/records/check-record.ts';
import { ApiError } from '../../http/api-error.ts';
import type { JobDefinition, WorkerServices } from '../../jobs/engine/job-definition.ts';
import type { Work } from '../../jobs/engine/run-jobs.ts';
import type { AttemptRow } from '../../jobs/rows/attempts.ts';
import { nearestName } from '../../kernel/lib/nearest-name.ts';
import { type PlannedFile, planTable, type Queries, type QueryingResult } from '../protocol.ts';
import { runAnalysis, submitAnalysis } from '../run-analysis.ts';

export const querying: JobDefinition<'QUERYING'> = {
  // Queries are answered from the model's snapshot, not from the current data.
  submit: (ctx, { name, project_id, ...job_data }) =>
    submitAnalysis(ctx, project_id, { job_type: 'QUERYING', name, job_data }, ({ attributes }) =>
      checkQueries(job_data, attributes),
    ),
  work: answerQueries,
  // A query takes one thread for seconds.
  concurrency: () => 1,
  hasUserIdFields: true,
};

const script = new URL('./querier.ts', import.meta.url);

function answerQueries({ db, objects }: WorkerServices): Work<'QUERYING'> {
  return async (attempt, context) => {
    const request: Queries = { ...attempt.job_data, defaultBins: limits.binsDefault };
    const plan = { script, files: planFiles(attempt), request };
    const outcome = await runAnalysis<QueryingResult>(db, objects, attempt, context, plan);
    const { files, found, publish, discard } = outcome;
    return { result: { files, message: found.message }, publish, discard };
  };
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

type SentQueries = Pick<Request<'submitQueryingJob'>, 'query_type' | 'queries'>;
type Condition = Request<'submitQueryingJob'>['queries'][number] extends infer Query
  ? Query extends { conditions: (infer One)[] }
    ? One
    : never
  : never;
type QueriedValue = Pick<Condition, 'attribute'> & Partial<Condition>;
type FieldError = { readonly path: string; readonly message: string };

/** Twice what the maximum number of queries takes with ordinary values. Bounded because lists of jobs return queries. */
const maxBytes = 256 * 1024;
/** Bounds the cost: each error includes a search for the most similar name. */
const maxErrors = 5;
/** Names that an error lists. */
const maxNames = 20;

/** Refuses inverted bounds, values that cannot be stored, and unknown attributes. Only the job knows the items' values. */
function checkQueries(request: SentQueries, attributes: readonly string[]): void {
  if (Buffer.byteLength(JSON.stringify(request)) > maxBytes)
    throw new ApiError(
      'INVALID_REQUEST',
      'The queries are larger than 256 KiB. Split them into several jobs.',
    );
  const known = new Set(attributes);
  const errors: FieldError[] = [];
  for (const { path, condition } of conditionsOf(request)) {
    if (errors.length === maxErrors) break;
    const { attribute, lower_bound = -Infinity, upper_bound = Infinity } = condition;
    if (lower_bound > upper_bound)
      errors.push({
        path: `${path}.lower_bound`,
        message: `is ${lower_bound}, but must not be greater than upper_bound, which is ${upper_bound}`,
      });
    const problem = findUnstorable(condition.value, 0);
    if (problem !== undefined) errors.push({ path: `${path}.value`, message: problem });
    if (!known.has(attribute))
      errors.push({ path: `${path}.attribute`, message: unknownAttribute(attribute, attributes) });
  }
  if (errors.length === 0) return;
  const detail = errors.slice(0, 3).map(({ path, message }) => `${path} ${message}`);
  throw new ApiError('INVALID_REQUEST', `${detail.join('; ')}.`, { errors });
}

function* conditionsOf({ queries }: SentQueries): Generator<{ path: string; condition: QueriedValue }> {
  for (const [queryIndex, query] of queries.entries()) {
    if (!('conditions' in query)) yield { path: `queries.${queryIndex}`, condition: query };
    else
      for (const [index, condition] of query.conditions.entries())
        yield { path: `queries.${queryIndex}.conditions.${index}`, condition };
  }
}

function unknownAttribute(name: string, attributes: readonly string[]): string {
  const problem = `is ${JSON.stringify(name)}, which no item had when the model was trained`;
  if (attributes.length === 0) return `${problem}; no item had any attribute`;
  const nearest = nearestName(name, attributes);
  if (nearest !== undefined) return `${problem}; did you mean ${JSON.stringify(nearest)}?`;
  const more = attributes.length > maxNames ? `, and ${attributes.length - maxNames} more` : '';
  return `${problem}; the attributes were ${attributes.slice(0, maxNames).join(', ')}${more}`;
}
