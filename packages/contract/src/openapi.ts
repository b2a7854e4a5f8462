import type { TSchema } from 'typebox';
import { Jwks, TokenError, TokenRequest, TokenResponse, tokenExample } from './concepts/api-keys.ts';
import { operations } from './concepts/index.ts';
import {
  downloadsPath,
  endpoints,
  jwksPath,
  type OperationName,
  operationNames,
  tokenPath,
} from './endpoints.ts';
import { type ErrorCode, errorCodes, Problem } from './errors.ts';
import { Components } from './openapi-components.ts';
import { bodyErrors, commonErrors, concepts, downloadErrors, type Operation } from './operation.ts';
import { titlesIn, withNullableFields } from './optional-fields.ts';
import { isExtension } from './published.ts';
import { describe } from './schema.ts';
import {
  SegmentBatch,
  type SegmentCall,
  SegmentIdentify,
  SegmentMessage,
  SegmentResponse,
  SegmentTrack,
  segmentPaths,
} from './segment.ts';

type Json = Record<string, unknown>;

/** The names of the schemas in responses of all operations, so that a part of the API gets the same names as the whole. */
const responseTitles = new Set(operationNames.flatMap((name) => titlesIn(operations[name].response)));

/** Builds the OpenAPI 3.1 document of the whole contract, or of the operations that a server has registered. */
export function buildOpenApi(names: readonly OperationName[] = operationNames): Json {
  const components = new Components();
  const paths: Record<string, Json> = {
    [tokenPath]: { post: tokenOperation(components) },
    [jwksPath]: { get: jwksOperation(components) },
  };
  for (const name of names) {
    const [method, path] = endpoints[name];
    const operation: Operation = operations[name];
    paths[path] = { [method.toLowerCase()]: describeOperation(name, method, operation, components) };
    for (const alias of operation.aliases ?? []) {
      const described = describeOperation(name, method, operation, components);
      const parameters = [...alias.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
        name: parameter,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      }));
      paths[alias] = {
        [method.toLowerCase()]: {
          ...described,
          operationId: `${name}${alias.endsWith(path) ? 'By' : 'At'}ServingUri`,
          parameters,
        },
      };
    }
  }
  // A process that serves jobs also serves the downloads of their results.
  if (names.includes('getJob')) paths[`${downloadsPath}/{key}`] = { get: downloadOperation(components) };
  // A process that writes events also accepts them from Segment's clients.
  const hasSegment = names.includes('upsertDatasetEvents');
  if (hasSegment)
    for (const [type, path] of Object.entries(segmentPaths) as [SegmentCall, string][])
      paths[path] = { post: segmentOperation(type, components) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tastegraph',
      version: '1',
      description:
        'Recommendations from your own users, items and events. Send `Authorization: Bearer <token>` and `APIKey: <key>` with every call.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      'Tokens',
      ...concepts.filter((concept) => names.some((name) => operations[name].concept === concept)),
      ...(hasSegment ? ['Segment'] : []),
    ].map((name) => ({ name })),
    security: [{ token: [], apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        apiKey: { type: 'apiKey', in: 'header', name: 'APIKey' },
        ...(hasSegment && { writeKey: { type: 'http', scheme: 'basic' } }),
      },
      ...components.toJSON(),
    },
  };
}

function describeOperation(
  name: OperationName,
  method: string,
  operation: Operation,
  components: Components,
): Json {
  const codes = [...commonErrors, ...(method === 'GET' ? [] : bodyErrors), ...operation.errors];
  return {
    operationId: name,
    tags: [operation.concept],
    summary: operation.summary,
    description: operation.description,
    ...(isExtension(name) ? { 'x-extension': true } : {}),
    'x-least-role': endpoints[name][2],
    ...(method === 'GET'
      ? { parameters: queryParameters(name, operation.request, components) }
      : {
          requestBody: {
            required: true,
            content: jsonOf(
              components.schema(withNullableFields(operation.request, responseTitles)),
              requestExamples(name),
            ),
          },
        }),
    responses: {
      200: {
        description: 'Success',
        content: jsonOf(components.schema(operation.response), {
          example: operations[name].example.response,
        }),
      },
      ...errorResponses(codes, components),
    },
  };
}

const jsonOf = (schema: unknown, examples: Json = {}) => ({ 'application/json': { schema, ...examples } });

/** A single example goes under `example`, several under `examples`. */
function requestExamples(name: OperationName): Json {
  const { request, otherRequests = [] } = operations[name].example;
  if (otherRequests.length === 0) return { example: request };
  const all = [request, ...otherRequests].map((value, index) => [`example${index + 1}`, { value }] as const);
  return { examples: Object.fromEntries(all) };
}

function queryParameters(name: OperationName, request: TSchema, components: Components): Json[] {
  const { properties, required = [] } = request as unknown as {
    properties: Record<string, Json>;
    required?: string[];
  };
  // A copy: a request without fields has the type object, which is not Json.
  const example: Json = { ...operations[name].example.request };
  return Object.entries(properties).map(([field, schema]) => ({
    name: field,
    in: 'query',
    required: required.includes(field),
    description: describe(schema),
    schema: components.schema(schema),
    ...(field in example ? { example: example[field] } : {}),
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
  const error = { content: jsonOf(components.schema(TokenError)) };
  return {
    operationId: 'issueToken',
    tags: ['Tokens'],
    summary: 'Get a token for one or more operations (OAuth 2.0 client credentials)',
    description: 'You can also send the same fields as JSON.',
    security: [],
    requestBody: {
      required: true,
      // Only one content type: with two for the same schema, generated clients send one under the name of the other.
      content: {
        'application/x-www-form-urlencoded': {
          schema: components.schema(TokenRequest),
          example: tokenExample.request,
        },
      },
    },
    responses: {
      200: {
        description: 'A token',
        content: jsonOf(components.schema(TokenResponse), { example: tokenExample.response }),
      },
      400: { description: '`invalid_request`, `unsupported_grant_type` or `invalid_scope`', ...error },
      401: { description: '`invalid_client`', ...error },
      ...errorResponses(['TOO_MANY_REQUESTS', 'UNAVAILABLE', 'INTERNAL'], components),
    },
  };
}

const segmentCalls: Record<SegmentCall, { summary: string; body: TSchema }> = {
  track: { summary: 'Write what a user did', body: SegmentTrack },
  identify: { summary: "Write a user's traits", body: SegmentIdentify },
  batch: { summary: 'Write several messages of any type', body: SegmentBatch },
  import: { summary: 'Write several messages of any type, as some clients send them', body: SegmentBatch },
  page: { summary: 'Accept a page view, and ignore it', body: SegmentMessage },
  screen: { summary: 'Accept a screen view, and ignore it', body: SegmentMessage },
  group: { summary: 'Accept a group, and ignore it', body: SegmentMessage },
  alias: { summary: 'Accept an alias, and ignore it', body: SegmentMessage },
};

function segmentOperation(type: SegmentCall, components: Components): Json {
  const { summary, body } = segmentCalls[type];
  const codes = [
    'INVALID_REQUEST',
    'UNAUTHENTICATED',
    'NOT_FOUND',
    'TOO_MANY_RECORDS',
    ...bodyErrors,
  ] as const;
  return {
    operationId: `segment${type.charAt(0).toUpperCase()}${type.slice(1)}`,
    tags: ['Segment'],
    summary,
    description: "Compatible with Segment's HTTP Tracking API. The user name is a write key.",
    'x-extension': true,
    security: [{ writeKey: [] }],
    requestBody: { required: true, content: jsonOf(components.schema(body)) },
    responses: {
      200: {
        description: 'The messages were read',
        content: jsonOf(components.schema(SegmentResponse)),
      },
      ...errorResponses([...codes, 'TOO_MANY_REQUESTS', 'INTERNAL', 'UNAVAILABLE'], components),
    },
  };
}

function jwksOperation(components: Components): Json {
  return {
    operationId: 'listSigningKeys',
    tags: ['Tokens'],
    summary: 'Get the public keys for verifying tokens',
    security: [],
    responses: {
      200: { description: 'JSON Web Key Set', content: jsonOf(components.schema(Jwks)) },
      ...errorResponses(['UNAVAILABLE', 'INTERNAL'], components),
    },
  };
}

function downloadOperation(components: Components): Json {
  const parameter = (name: string, description: string) => ({
    name,
    in: name === 'key' ? 'path' : 'query',
    required: true,
    description,
    schema: { type: 'string' },
  });
  // The file can have any type. Some client generators drop a response without a type they know, hence the first one.
  const bytes = { schema: { type: 'string', format: 'binary' } };
  const file = { description: 'The file', content: { 'application/octet-stream': bytes, '*/*': {} } };
  return {
    operationId: 'downloadResult',
    tags: ['Jobs'],
    summary: 'Download the result of a job or one of its charts',
    description:
      'Use `download_url` and `chart_urls` from `/get-job` unchanged. The URL is signed, so it needs no token. It works until `expired_at_sec`, or until the API key that requested it is revoked; `/get-job` returns a new one. `HEAD` and single byte ranges are supported. If results are stored in S3, the response redirects to the store: follow it without sending credentials, or add `redirect=false` to get the file from this host.',
    security: [],
    parameters: [
      parameter('key', 'The key of the file. It contains slashes.'),
      parameter('expires', 'When the URL expires, in seconds since the Unix epoch.'),
      parameter('name', 'The file name to save the file under.'),
      parameter('type', 'The content type of the file.'),
      parameter('holder', 'Identifies the API key that requested the URL.'),
      parameter('signature', 'The signature of the other parameters.'),
      {
        ...parameter('redirect', '`false`: the file itself instead of a redirect to the store. Not signed.'),
        required: false,
        schema: { type: 'string', enum: ['true', 'false'], default: 'true' },
      },
    ],
    responses: {
      200: file,
      206: { ...file, description: 'The requested range' },
      304: { description: 'The file has not changed (`If-None-Match`)' },
      307: {
        description: 'If results are stored in S3: the file is at `Location` for the next 5 minutes',
        headers: {
          Location: {
            description: 'The URL of the file in the store. It needs no token.',
            schema: { type: 'string', format: 'uri' },
          },
        },
      },
      ...errorResponses(downloadErrors, components),
    },
  };
}
