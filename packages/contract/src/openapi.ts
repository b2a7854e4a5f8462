import type { TSchema } from 'typebox';
import {
  downloadsPath,
  endpoints,
  jwksPath,
  type OperationName,
  operationNames,
  tokenPath,
} from './endpoints.ts';
import { type ErrorCode, errorCodes } from './errors.ts';
import { Components } from './openapi-components.ts';
import { operations } from './operations/index.ts';
import {
  bodyErrors,
  commonErrors,
  concepts,
  downloadErrors,
  type Operation,
} from './operations/operation.ts';
import { Problem } from './schemas/problem.ts';
import { Jwks, TokenError, TokenRequest, TokenResponse } from './schemas/token.ts';

type Json = Record<string, unknown>;

/** OpenAPI 3.1 for the operations named: the whole contract, or the part that a server has registered. */
export function buildOpenApi(names: readonly OperationName[] = operationNames): Json {
  const components = new Components();
  const paths: Record<string, Json> = {
    [tokenPath]: { post: tokenOperation(components) },
    [jwksPath]: { get: jwksOperation(components) },
  };
  for (const name of names) {
    const [method, path] = endpoints[name];
    const operation: Operation = operations[name];
    paths[path] = { [method.toLowerCase()]: describe(name, method, operation, components) };
    for (const alias of operation.aliases ?? []) {
      const described = describe(name, method, operation, components);
      const parameters = [...alias.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
        name: parameter,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      }));
      paths[alias] = {
        [method.toLowerCase()]: { ...described, operationId: `${name}ByServingUri`, parameters },
      };
    }
  }
  // Whoever shows jobs shows where their results are.
  if (names.includes('getJob')) paths[`${downloadsPath}/{key}`] = { get: downloadOperation(components) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tastegraph',
      version: '1',
      description:
        'Recommendations from your own users, items and events. Every call carries `Authorization: Bearer` and `APIKey`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      'Tokens',
      ...concepts.filter((concept) => names.some((name) => operations[name].concept === concept)),
    ].map((name) => ({ name })),
    security: [{ token: [], apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        apiKey: { type: 'apiKey', in: 'header', name: 'APIKey' },
      },
      ...components.toJSON(),
    },
  };
}

function describe(name: OperationName, method: string, operation: Operation, components: Components): Json {
  const codes = [...commonErrors, ...(method === 'GET' ? [] : bodyErrors), ...operation.errors];
  return {
    operationId: name,
    tags: [operation.concept],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(method === 'GET'
      ? { parameters: queryParameters(operation.request, components) }
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: components.schema(operation.request) } },
          },
        }),
    responses: {
      200: {
        description: 'Done',
        content: { 'application/json': { schema: components.schema(operation.response) } },
      },
      ...errorResponses(codes, components),
    },
  };
}

function queryParameters(request: TSchema, components: Components): Json[] {
  const { properties, required = [] } = request as unknown as {
    properties: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: components.schema(schema),
  }));
}

function errorResponses(codes: readonly ErrorCode[], components: Components): Json {
  const byStatus = Map.groupBy(codes, (code) => errorCodes[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      components.response(group.join('-'), {
        description: group.map((code) => `\`${code}\`: ${errorCodes[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: components.schema(Problem) } },
      }),
    ]),
  );
}

function tokenOperation(components: Components): Json {
  const error = { content: { 'application/json': { schema: components.schema(TokenError) } } };
  return {
    operationId: 'issueToken',
    tags: ['Tokens'],
    summary: 'Get a token for one or more operations (OAuth 2.0 client credentials)',
    description: 'The same fields are also taken as JSON.',
    security: [],
    requestBody: {
      required: true,
      // One content type: given two of one schema, generated clients send the one under the name of the other.
      content: { 'application/x-www-form-urlencoded': { schema: components.schema(TokenRequest) } },
    },
    responses: {
      200: {
        description: 'A token',
        content: { 'application/json': { schema: components.schema(TokenResponse) } },
      },
      400: { description: '`invalid_request`, `unsupported_grant_type` or `invalid_scope`', ...error },
      401: { description: '`invalid_client`', ...error },
      ...errorResponses(['TOO_MANY_REQUESTS', 'UNAVAILABLE', 'INTERNAL'], components),
    },
  };
}

function jwksOperation(components: Components): Json {
  return {
    operationId: 'listSigningKeys',
    tags: ['Tokens'],
    summary: 'The public keys that tokens are signed with',
    security: [],
    responses: {
      200: {
        description: 'JSON Web Key Set',
        content: { 'application/json': { schema: components.schema(Jwks) } },
      },
      ...errorResponses(['UNAVAILABLE', 'INTERNAL'], components),
    },
  };
}

function downloadOperation(components: Components): Json {
  const parameter = (name: string, description: string) => ({
    ...{ name, in: name === 'key' ? 'path' : 'query', required: true, description },
    schema: { type: 'string' },
  });
  // Of any type; the first is there for generators of clients, some of which leave an answer out that has no type they know.
  const bytes = { schema: { type: 'string', format: 'binary' } };
  const file = { description: 'The file', content: { 'application/octet-stream': bytes, '*/*': {} } };
  return {
    operationId: 'downloadResult',
    tags: ['Jobs'],
    summary: 'Download the result of a job, or a chart of it',
    description:
      'Follow `download_url` and `chart_urls` of `/get-job` as they are: the address is the proof, needs no token, and stops working at `expired_at_sec`; `/get-job` then gives a fresh one. `HEAD` and single ranges of bytes are answered. Where results are kept in S3, the addresses lead there instead.',
    security: [],
    parameters: [
      parameter('key', 'The file; holds slashes.'),
      parameter('expires', 'Seconds since the epoch.'),
      parameter('name', 'What the file is saved as.'),
      parameter('type', 'Its content type.'),
      parameter('signature', 'Of all of these.'),
    ],
    responses: {
      200: file,
      206: { ...file, description: 'The range that was asked for' },
      304: { description: '`If-None-Match` is of the file as it is' },
      ...errorResponses(downloadErrors, components),
    },
  };
}
