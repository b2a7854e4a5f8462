import {
  type ErrorCode,
  endpoints,
  type OperationName,
  operations,
  type Request,
} from '@tastegraph/contract';
import { Ajv, type ErrorObject } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { ApiError } from './api-error.ts';
import { echoedFields } from './echoed-fields.ts';
import { compileCoercion, compileDropNulls, messageOf } from './validation.ts';

const options = { verbose: true, strict: true, allowUnionTypes: true, discriminator: false };
const bodies = new Ajv({ ...options, allErrors: true });
const largeBodies = new Ajv(options);
for (const ajv of [bodies, largeBodies]) ajv.addVocabulary(['x-error-code', 'x-records']);

const maxErrors = 20;

/** In larger bodies only the first error is reported: 32 MiB may contain 16 million errors, each of them an object. */
const smallBytes = 64 * 1024;

/** Compiles the validator of a request: the parsed body and its size in bytes, or the query string, which is always small. */
export function compileRequest<N extends OperationName>(
  name: N,
): (input: unknown, bytes: number) => Request<N> {
  const [method] = endpoints[name];
  const schema = withEchoed(envelope(operations[name].request) as object, echoedFields(name));
  const prepare = method === 'GET' ? compileCoercion(schema) : compileDropNulls(schema);
  const validateSmall = bodies.compile(schema);
  const validateLarge = method === 'GET' ? validateSmall : largeBodies.compile(schema);
  return (input, bytes) => {
    prepare?.(input);
    const validate = bytes > smallBytes ? validateLarge : validateSmall;
    if (validate(input)) return input as Request<N>;
    throw validationError(validate.errors ?? []);
  };
}

/** Compiles the validator of a body that is not an operation's. */
export function compileBody<S extends TSchema>(schema: S): (body: unknown) => Static<S> {
  const validate = bodies.compile(schema);
  return (body) => {
    if (validate(body)) return body as Static<S>;
    throw validationError(validate.errors ?? []);
  };
}

/** Accepts any value in echoed fields: echoed-fields.ts compares them with the record. */
function withEchoed(schema: object, fields: readonly string[]): object {
  if (fields.length === 0) return schema;
  const { properties } = schema as { properties: object };
  return {
    ...schema,
    properties: { ...properties, ...Object.fromEntries(fields.map((field) => [field, {}])) },
  };
}

/** The schema without the schemas of records, which are checked one by one so that each may fail alone. */
function envelope(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(envelope);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !(key === 'items' && 'x-records' in schema))
      .map(([key, inner]) => [key, envelope(inner)]),
  );
}

function validationError(all: readonly ErrorObject[]): ApiError {
  const found = selectVariantErrors(all);
  const informative = found.filter(isInformative);
  const errors = (informative.length > 0 ? informative : found)
    .slice(0, maxErrors)
    .map((error) => ({ path: pathOf(error), message: messageOf(error) }));
  const detail = errors
    .slice(0, 3)
    .map(({ path, message }) => `${path === '' ? 'the request' : path} ${message}`);
  return new ApiError(codeOf(found), `${detail.join('; ')}.`, { errors });
}

/** Of several variants, keeps the errors of the one that a field selects; if it selects none, only the error of that field. */
function selectVariantErrors(found: readonly ErrorObject[]): readonly ErrorObject[] {
  const variantOf = ({ schemaPath }: ErrorObject) => /^#\/anyOf\/(\d+)\//.exec(schemaPath)?.[1];
  const selectorErrors = found.filter((error) => variantOf(error) !== undefined && isSelectorError(error));
  const others = new Set(selectorErrors.map(variantOf));
  const selected = found.filter((error) => !others.has(variantOf(error)));
  const [name] = selectorErrors;
  if (!name || selected.some((error) => variantOf(error) !== undefined)) return selected;
  if (name.keyword === 'required') return [name];
  const allowedValues = selectorErrors.map(
    ({ params }) => (params as { allowedValue: unknown }).allowedValue,
  );
  return [{ ...name, keyword: 'enum', params: { allowedValues } }];
}

/** Whether the error is about the field that selects the variant, which is a constant in each variant. */
function isSelectorError({ keyword, params, parentSchema }: ErrorObject): boolean {
  if (keyword !== 'required') return keyword === 'const';
  const fields = parentSchema?.['properties'] as Record<string, object> | undefined;
  return 'const' in (fields?.[(params as { missingProperty: string }).missingProperty] ?? {});
}

/** False for errors that only repeat another one, or that say that null is also allowed. */
function isInformative({ keyword, params }: ErrorObject): boolean {
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
