import { readFileSync } from 'node:fs';
import { jobContracts } from '@tastegraph/contract';

/** The part of JSON Schema that the contract uses. */
interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;

interface OpenApiOperation {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<'200', { readonly content: Content }>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * Generates the contract's types that the SDK uses as plain TypeScript with comments. The published SDK then depends
 * neither on the contract nor on its schema library.
 */
export function writeContractTypes(operationNames: readonly string[]): string {
  const file = new URL('../../contract/openapi.json', import.meta.url);
  const { paths, components } = JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
  const operations = new Map(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  );
  const listed = operationNames.map((name) => {
    const operation = operations.get(name);
    if (!operation) throw new Error(`openapi.json has no operation ${name}: run "npm run generate".`);
    return [name, operation] as const;
  });
  const table = (name: string, schemaOf: (operation: OpenApiOperation) => Schema) =>
    `interface ${name} {\n${listed.map(([key, operation]) => `${key}: ${typeText(schemaOf(operation))};`).join('\n')}\n}`;
  return [
    "import type { OperationName } from './endpoints.js';",
    ...Object.entries(components.schemas).map(
      ([name, schema]) => `${comment(schema)}export type ${name} = ${typeText(schema)};`,
    ),
    table('Requests', requestOf),
    table('Responses', ({ responses }) => responses['200'].content['application/json'].schema),
    `interface JobResults {\n${jobResults().join('\n')}\n}`,
    'export type Request<N extends OperationName> = Requests[N];',
    'export type Response<N extends OperationName> = Responses[N];',
    'export type JobResult<T extends JobType> = JobResults[T];',
    '',
  ].join('\n\n');
}

function jobResults(): string[] {
  return Object.entries(jobContracts).map(([type, { result }]) => {
    const { title } = result as { title?: string };
    if (title === undefined) throw new Error(`The result of ${type} jobs has no name: wrap it in Named().`);
    return `${type}: ${title};`;
  });
}

function requestOf({ requestBody, parameters = [] }: OpenApiOperation): Schema {
  if (requestBody) return requestBody.content['application/json'].schema;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  return {
    type: 'object',
    properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
    required: query.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice('#/components/schemas/'.length);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' | ');
  if (schema.allOf) return schema.allOf.map((part) => `(${typeText(part)})`).join(' & ');
  switch (schema.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return `(${typeText(schema.items ?? {})})[]`;
    case 'object':
      return objectText(schema);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`contract-types.ts does not support schemas of type ${schema.type}.`);
  }
}

function objectText({ properties, required = [], additionalProperties }: Schema): string {
  if (!properties)
    return `{ [name: string]: ${typeof additionalProperties === 'object' ? typeText(additionalProperties) : 'unknown'} }`;
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema)}${name}${required.includes(name) ? '' : '?'}: ${typeText(schema)};`,
  );
  return `{\n${fields.join('\n')}\n}`;
}

function comment({ description }: Schema): string {
  return description === undefined ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`;
}
