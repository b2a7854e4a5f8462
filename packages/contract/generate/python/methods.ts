import { operations } from '../../src/concepts/index.ts';
import { isRemoval, type OperationName } from '../../src/endpoints.ts';
import type { Operation } from '../../src/operation.ts';
import { nullableFields } from '../../src/optional-fields.ts';
import type { Schema, SchemaTypes } from './schema-types.ts';
import { isIdentifier, pascalCase, snakeCase } from './text.ts';

export interface OpenApiOperation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: {
    readonly 200: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  };
}

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  /** Null has a meaning of its own, so that leaving the field out is something else. */
  readonly hasOwnNull: boolean;
}

export interface Method {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly response: string;
  readonly summary: string;
  readonly description: string;
  /** For a list: the field of the response with the elements, and their type. */
  readonly list: { readonly key: string; readonly element: string } | undefined;
}

/** Describes the method of an operation, and declares the types that it needs. */
export function describeMethod(
  name: OperationName,
  { parameters, requestBody, responses }: OpenApiOperation,
  schemas: Readonly<Record<string, Schema>>,
  types: SchemaTypes,
): Method {
  const operation: Operation = operations[name];
  const className = pascalCase(snakeCase(name));
  const response = responses[200].content['application/json'].schema;
  const body = requestBody?.content['application/json'].schema;
  const ownNull = (field: string) => !nullableFields(operation.request).includes(field);
  const fields = body
    ? bodyFields(body, schemas, types, className)
    : (parameters ?? []).map((parameter) => ({
        ...parameter,
        type: types.annotation(parameter.schema, className + pascalCase(parameter.name)),
      }));
  const keyword = fields.find((field) => !isIdentifier(field.name));
  if (keyword) throw new Error(`${name}: Python cannot have a parameter ${keyword.name}.`);
  return {
    name: snakeCase(name),
    parameters: fields.map(({ name: field, type, description, required }) => ({
      name: field,
      type: type.replace(/^list\[/, 'Sequence['),
      description,
      required,
      hasOwnNull: !required && ownNull(field),
    })),
    response: types.annotation(response, `${className}Response`) + (isRemoval(name) ? ' | None' : ''),
    summary: operation.summary,
    description: operation.description,
    list: listOf(response, types),
  };
}

/** The fields of a request. Those of a request with alternatives are the fields of all of them together. */
function bodyFields(
  body: Schema,
  schemas: Readonly<Record<string, Schema>>,
  types: SchemaTypes,
  className: string,
): Omit<Parameter, 'hasOwnNull'>[] {
  const alternatives = (body.anyOf ?? [body]).map(({ $ref, ...rest }) =>
    $ref === undefined ? rest : (schemas[$ref.replace('#/components/schemas/', '')] ?? {}),
  );
  const names = new Set(alternatives.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...names].map((name) => {
    const found = alternatives.flatMap(({ properties = {} }) => properties[name] ?? []);
    const annotations = found.map((schema) => types.annotation(schema, className + pascalCase(name)));
    return {
      name,
      type: unionOf(annotations),
      description: found[0] ? describe(found[0], schemas) : '',
      required: alternatives.every(({ required = [] }) => required.includes(name)),
    };
  });
}

/** A field without a description of its own has that of its type. */
function describe({ description, $ref }: Schema, schemas: Readonly<Record<string, Schema>>): string {
  return description ?? schemas[$ref?.replace('#/components/schemas/', '') ?? '']?.description ?? '';
}

/** One list of all kinds of elements, because type checkers do not find out which list a literal is. */
function unionOf(annotations: readonly string[]): string {
  const elements = annotations.map((annotation) => /^list\[(.*)\]$/.exec(annotation)?.[1]);
  if (elements.includes(undefined)) return [...new Set(annotations)].join(' | ');
  return `list[${[...new Set(elements)].join(' | ')}]`;
}

function listOf({ properties = {} }: Schema, types: SchemaTypes): Method['list'] {
  if (!('next_page_token' in properties)) return undefined;
  const [key, schema] = Object.entries(properties).find(([, { items }]) => items) ?? [];
  if (key === undefined || !schema?.items) throw new Error('A list without elements.');
  return { key, element: types.annotation(schema.items, 'Never') };
}
