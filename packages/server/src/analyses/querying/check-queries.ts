import type { Request } from '@tastegraph/contract';
import { findUnstorable } from '../../datasets/records/check-record.ts';
import { ApiError } from '../../http/api-error.ts';
import { nearestName } from '../../kernel/lib/nearest-name.ts';

type Queries = Pick<Request<'submitQueryingJob'>, 'query_type' | 'queries'>;
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

/**
 * Throws an ApiError for inverted bounds, values that cannot be stored, and attributes that no item had. Only the job knows
 * which values the items had.
 */
export function checkQueries(request: Queries, attributes: readonly string[]): void {
  if (Buffer.byteLength(JSON.stringify(request)) > maxBytes)
    throw new ApiError(
      'INVALID_REQUEST',
      'The queries are larger than 256 KiB. Split them into several jobs.',
    );
  const known = new Set(attributes);
  const errors: FieldError[] = [];
  for (const { path, condition } of conditionsOf(request)) {
    if (errors.length === maxErrors) break;
    const { attribute, lower_bound = 0, upper_bound = 1 } = condition;
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

function* conditionsOf({ queries }: Queries): Generator<{ path: string; condition: QueriedValue }> {
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
