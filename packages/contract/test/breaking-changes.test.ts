import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { breakingChanges, type OpenApi, type Schema } from '../released/compare.ts';

const text = (max: number) => ({ type: 'string', pattern: `^[^\\n]{1,${max}}$` });

/** A small API that has what ours has: names, variants, nullable fields, maps, lists and types that contain themselves. */
const request: Schema = {
  type: 'object',
  properties: {
    name: text(200),
    mode: { type: 'string', enum: ['REPLACE', 'MERGE'] },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 10 },
    attributes: {
      type: 'object',
      propertyNames: text(100),
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    },
    ids: { type: 'array', items: { type: 'string' }, maxItems: 1000 },
  },
  required: ['name'],
  additionalProperties: false,
};
const thing: Schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    count: { type: 'integer' },
    status: { type: 'string', enum: ['PENDING', 'DONE'] },
    parent: { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] },
    note: { type: 'string' },
  },
  required: ['id', 'count', 'status', 'parent'],
};

interface Parts {
  readonly request?: Schema;
  readonly thing?: Schema;
  readonly method?: string;
  readonly parameters?: readonly unknown[];
}

function api(parts: Parts = {}): OpenApi {
  const content = (schema: Schema) => ({ content: { 'application/json': { schema } } });
  const operation = {
    parameters: parts.parameters ?? [{ name: 'id', in: 'query', required: true, schema: { type: 'string' } }],
    requestBody: { required: true, ...content({ $ref: '#/components/schemas/Request' }) },
    responses: { 200: { description: 'Success', ...content({ $ref: '#/components/schemas/Thing' }) } },
  };
  return {
    paths: { '/thing': { [parts.method ?? 'post']: operation } },
    components: { schemas: { Request: parts.request ?? request, Thing: parts.thing ?? thing } },
  };
}

/** The schema with this field instead of the one that it has; without it when it is undefined. */
function withField(schema: Schema, name: string, field: Schema | undefined): Schema {
  const { [name]: _, ...rest } = schema['properties'] as Record<string, Schema>;
  return { ...schema, properties: field ? { ...rest, [name]: field } : rest };
}
const requires = (schema: Schema, required: string[]): Schema => ({ ...schema, required });
const inRequest = (name: string, field: Schema | undefined) => ({ request: withField(request, name, field) });
const inResponse = (name: string, field: Schema | undefined) => ({ thing: withField(thing, name, field) });
const find = (parts: Parts) => breakingChanges(api(), api(parts));

describe('breaks clients', () => {
  test.each<[string, Parts, string]>([
    ['a removed operation', { method: 'get' }, 'POST /thing: removed'],
    ['a removed field of a response', inResponse('note', undefined), 'response Thing.note: removed'],
    [
      'a field of a response that may be absent',
      { thing: requires(thing, ['id', 'count', 'status']) },
      'response Thing.parent: may be absent now',
    ],
    [
      'a field of a response that may be null',
      inResponse('count', { anyOf: [{ type: 'integer' }, { type: 'null' }] }),
      'response Thing.count: null may be returned now',
    ],
    [
      'a changed type of a response',
      inResponse('count', { type: 'string' }),
      'response Thing.count: string may be returned now',
    ],
    [
      'a removed value of a response',
      inResponse('status', { type: 'string', enum: ['DONE'] }),
      'response Thing.status: PENDING removed',
    ],
    [
      'a new required field',
      { request: requires(withField(request, 'key', text(10)), ['name', 'key']) },
      'request Request.key: required now',
    ],
    [
      'a field that became required',
      { request: requires(request, ['name', 'mode']) },
      'request Request.mode: required now',
    ],
    ['a field that is refused', inRequest('limit', undefined), 'request Request.limit: removed'],
    [
      'a narrowed enum',
      inRequest('mode', { type: 'string', enum: ['MERGE'] }),
      'request Request.mode: REPLACE removed',
    ],
    ['a new enum', inRequest('name', { ...text(200), enum: ['a'] }), 'request Request.name: limited to a'],
    [
      'a lowered maximum',
      inRequest('limit', { type: 'integer', minimum: 1, maximum: 100 }),
      'request Request.limit: maximum changed from 200 to 100',
    ],
    [
      'a raised minimum',
      inRequest('limit', { type: 'integer', minimum: 2, maximum: 200 }),
      'request Request.limit: minimum changed from 1 to 2',
    ],
    [
      'a shorter text',
      inRequest('name', text(100)),
      'request Request.name: maxLength changed from 200 to 100',
    ],
    [
      'another pattern',
      inRequest('name', { type: 'string', pattern: '^[a-z]{1,200}$' }),
      'request Request.name: pattern changed',
    ],
    [
      'a new limit',
      inRequest('ids', { type: 'array', items: text(50), maxItems: 1000 }),
      'request Request.ids[]: maxLength changed from none to 50',
    ],
    [
      'a variant that is refused',
      inRequest('attributes', { type: 'object', additionalProperties: { type: 'string' } }),
      'request Request.attributes.additionalProperties: number is no longer accepted',
    ],
    [
      'a new required parameter',
      {
        parameters: ['id', 'project_id'].map((name) => ({
          name,
          in: 'query',
          required: true,
          schema: { type: 'string' },
        })),
      },
      'POST /thing query project_id: required now',
    ],
  ])('%s', (_, parts, change) => {
    expect(find(parts)).toContain(change);
  });
});

describe('breaks nobody', () => {
  test.each<[string, Parts]>([
    ['nothing', {}],
    ['a new optional field', inRequest('note', text(10))],
    ['a new field of a response', inResponse('extra', { type: 'string' })],
    ['a new value', inRequest('mode', { type: 'string', enum: ['REPLACE', 'MERGE', 'APPEND'] })],
    [
      'a new value of a response',
      inResponse('status', { type: 'string', enum: ['PENDING', 'DONE', 'LOST'] }),
    ],
    ['a higher maximum', inRequest('limit', { type: 'integer', minimum: 0, maximum: 500 })],
    ['a longer text', inRequest('name', text(600))],
    ['a field that may be null', inRequest('mode', { anyOf: [{ type: 'string' }, { type: 'null' }] })],
    ['a number instead of an integer', inRequest('limit', { type: 'number' })],
    ['a field that became optional', { request: requires(request, []) }],
    [
      'a field that is always returned',
      { thing: requires(thing, ['id', 'count', 'status', 'parent', 'note']) },
    ],
    ['another description', inRequest('name', { ...text(200), description: 'The name.' })],
  ])('%s', (_, parts) => {
    expect(find(parts)).toEqual([]);
  });
});

test('a keyword that is not known is an error, not a change that goes unnoticed', () => {
  expect(() => find(inRequest('name', { type: 'string', contentEncoding: 'base64' }))).toThrow(
    'contentEncoding',
  );
});

test('every operation of the last release is compared: without any, each is a change', () => {
  const file = new URL('../released/openapi.json', import.meta.url);
  const released = JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
  const operations = Object.values(released.paths).flatMap((methods) => Object.keys(methods));
  expect(breakingChanges(released, released)).toEqual([]);
  expect(breakingChanges(released, { paths: {} })).toHaveLength(operations.length);
});
