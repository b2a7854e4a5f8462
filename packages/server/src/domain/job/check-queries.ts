import type { Request } from '@tastegraph/contract';
import { nearestName } from '../../lib/nearest-name.ts';
import { Fault } from '../fault.ts';
import { findUnstorable } from '../record/check-record.ts';

type Queries = Pick<Request<'submitQueryingJob'>, 'query_type' | 'queries'>;
type Condition = Request<'submitQueryingJob'>['queries'][number] extends infer Query
  ? Query extends { conditions: (infer One)[] }
    ? One
    : never
  : never;
type Asked = Pick<Condition, 'attribute'> & Partial<Condition>;
type Place = { readonly path: string; readonly message: string };

/** All the queries that there may be, of ordinary values, twice over; lists of jobs show them. */
const mostBytes = 256 * 1024;
/** A request that is all wrong is told its first mistakes; what was probably meant is looked for in each of them. */
const mostErrors = 5;
/** Names that fit into an answer, to choose from. */
const mostNames = 20;

/** Throws a Fault for bounds that nobody can be within, values that nothing can hold, and for attributes that no item had; values are the job's to know. */
export function checkQueries(asked: Queries, attributes: readonly string[]): void {
  if (Buffer.byteLength(JSON.stringify(asked)) > mostBytes)
    throw new Fault('INVALID_REQUEST', 'The queries are over 256 KiB. Submit them as several jobs.');
  const known = new Set(attributes);
  const errors: Place[] = [];
  for (const { path, condition } of conditionsOf(asked)) {
    if (errors.length === mostErrors) break;
    const { attribute, lower_bound = 0, upper_bound = 1 } = condition;
    if (lower_bound > upper_bound)
      errors.push({
        path: `${path}.lower_bound`,
        message: `must not be above upper_bound: ${lower_bound} is above ${upper_bound}`,
      });
    const problem = findUnstorable(condition.value, 0);
    if (problem !== undefined) errors.push({ path: `${path}.value`, message: problem });
    if (!known.has(attribute))
      errors.push({ path: `${path}.attribute`, message: unknownAttribute(attribute, attributes) });
  }
  if (errors.length === 0) return;
  const detail = errors.slice(0, 3).map(({ path, message }) => `${path} ${message}`);
  throw new Fault('INVALID_REQUEST', `${detail.join('; ')}.`, { errors });
}

function* conditionsOf({ queries }: Queries): Generator<{ path: string; condition: Asked }> {
  for (const [place, query] of queries.entries()) {
    if (!('conditions' in query)) yield { path: `queries.${place}`, condition: query };
    else
      for (const [index, condition] of query.conditions.entries())
        yield { path: `queries.${place}.conditions.${index}`, condition };
  }
}

function unknownAttribute(name: string, attributes: readonly string[]): string {
  const isNone = `is ${JSON.stringify(name)}, which no item had when the model was trained`;
  if (attributes.length === 0) return `${isNone}; no item had any attribute`;
  const nearest = nearestName(name, attributes);
  if (nearest !== undefined) return `${isNone}; did you mean ${JSON.stringify(nearest)}?`;
  const more = attributes.length > mostNames ? `, and ${attributes.length - mostNames} more` : '';
  return `${isNone}; there were ${attributes.slice(0, mostNames).join(', ')}${more}`;
}
