import {
  type ErrorCode,
  endpoints,
  type OperationName,
  operations,
  type Request,
} from '@tastegraph/contract';
import { Ajv, type ErrorObject } from 'ajv';
import { Fault } from '../domain/fault.ts';
import { messageOf } from '../domain/validation.ts';

const options = { verbose: true, strict: true, allowUnionTypes: true, discriminator: false };
const bodies = new Ajv({ ...options, allErrors: true });
const largeBodies = new Ajv(options);
// A query string holds text only; a number in it is still a number to the contract.
const queries = new Ajv({ ...options, allErrors: true, coerceTypes: true });
for (const ajv of [bodies, largeBodies, queries]) ajv.addVocabulary(['x-error-code', 'x-records']);

/** A call that is all wrong is told its first mistakes, not a thousand. */
const mostErrors = 20;

/** Of a larger body only the first mistake is looked for: 32 MiB can hold 16 million, and each is kept as an object. */
const smallBytes = 64 * 1024;

/**
 * Compiles the check of an operation's request: the parsed body and its size in bytes, or for GET the query
 * string, which is always small.
 */
export function compileRequest<N extends OperationName>(
  name: N,
): (input: unknown, bytes: number) => Request<N> {
  const [method] = endpoints[name];
  const schema = envelope(operations[name].request) as object;
  const validateSmall = (method === 'GET' ? queries : bodies).compile(schema);
  const validateLarge = method === 'GET' ? validateSmall : largeBodies.compile(schema);
  return (input, bytes) => {
    const validate = bytes > smallBytes ? validateLarge : validateSmall;
    if (validate(input)) return input as Request<N>;
    throw toFault(validate.errors ?? []);
  };
}

/** The schema without what is inside its records: those are checked one by one, and fail alone. */
function envelope(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(envelope);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !(key === 'items' && 'x-records' in schema))
      .map(([key, inner]) => [key, envelope(inner)]),
  );
}

function toFault(all: readonly ErrorObject[]): Fault {
  const found = ofVariant(all);
  const telling = found.filter(tells);
  const errors = (telling.length > 0 ? telling : found)
    .slice(0, mostErrors)
    .map((error) => ({ path: pathOf(error), message: messageOf(error) }));
  const detail = errors
    .slice(0, 3)
    .map(({ path, message }) => `${path === '' ? 'the request' : path} ${message}`);
  return new Fault(codeOf(found), `${detail.join('; ')}.`, { errors });
}

/**
 * Where a request has several variants, told apart by a field that names one: what is wrong with the one that was meant. When
 * none was, that field alone is wrong.
 */
function ofVariant(found: readonly ErrorObject[]): readonly ErrorObject[] {
  const variantOf = ({ schemaPath }: ErrorObject) => /^#\/anyOf\/(\d+)\//.exec(schemaPath)?.[1];
  const naming = found.filter((error) => variantOf(error) !== undefined && isOfName(error));
  const others = new Set(naming.map(variantOf));
  const meant = found.filter((error) => !others.has(variantOf(error)));
  const [name] = naming;
  if (!name || meant.some((error) => variantOf(error) !== undefined)) return meant;
  if (name.keyword === 'required') return [name];
  const allowedValues = naming.map(({ params }) => (params as { allowedValue: unknown }).allowedValue);
  return [{ ...name, keyword: 'enum', params: { allowedValues } }];
}

/** Of the field that names the variant: it has one value in each. */
function isOfName({ keyword, params, parentSchema }: ErrorObject): boolean {
  if (keyword !== 'required') return keyword === 'const';
  const fields = parentSchema?.['properties'] as Record<string, object> | undefined;
  return 'const' in (fields?.[(params as { missingProperty: string }).missingProperty] ?? {});
}

/** Not what only repeats that a part is wrong, nor that it could also have been null. */
function tells({ keyword, params }: ErrorObject): boolean {
  return keyword !== 'anyOf' && keyword !== 'propertyNames' && (params as { type?: string }).type !== 'null';
}

function codeOf(found: readonly ErrorObject[]): ErrorCode {
  const tooMany = found.find((error) => error.keyword === 'maxItems')?.parentSchema;
  return (tooMany?.['x-error-code'] as ErrorCode | undefined) ?? 'INVALID_REQUEST';
}

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  const property = { required: missingProperty, additionalProperties: additionalProperty?.slice(0, 100) }[
    keyword
  ];
  return [path, property].filter((part) => part).join('.');
}
