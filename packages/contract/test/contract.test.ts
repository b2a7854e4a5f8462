import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { integerMax } from '../src/fields.ts';
import {
  apiKeyPattern,
  buildOpenApi,
  endpoints,
  errorCodes,
  idPrefixes,
  type OperationName,
  operationNames,
  operations,
} from '../src/index.ts';
import { bodyErrors, commonErrors, downloadErrors } from '../src/operation.ts';
import { published } from '../src/published.ts';
import { describe as describeField, fieldPaths, propertiesOf, type Schema } from '../src/schema.ts';

const methodOf: Record<string, string> = {
  create: 'POST',
  upsert: 'POST',
  submit: 'POST',
  cancel: 'POST',
  erase: 'POST',
  invite: 'POST',
  check: 'POST',
  recommend: 'POST',
  rank: 'POST',
  find: 'POST',
  get: 'GET',
  list: 'GET',
  update: 'PUT',
  delete: 'DELETE',
  shutdown: 'DELETE',
  rollback: 'POST',
  stop: 'POST',
  remove: 'DELETE',
  revoke: 'DELETE',
};

/** One for all tests, because it compiles each schema only once. */
const ajv = new Ajv({ strict: true, allowUnionTypes: true });
ajv.addVocabulary(['x-error-code', 'x-records']);

describe('the contract', () => {
  test.each(operationNames)(
    '%s has a path that matches its name and a method that matches its verb',
    (name) => {
      const [method, path] = endpoints[name];
      expect(path).toBe(`/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
      expect(method).toBe(methodOf[name.split(/[A-Z]/)[0] ?? '']);
    },
  );

  test.each(operationNames)('%s has schemas that compile under strict rules', (name) => {
    expect(typeof ajv.compile(operations[name].request as object)).toBe('function');
    expect(typeof ajv.compile(operations[name].response as object)).toBe('function');
  });

  test.each(operationNames)('%s has examples that match its schemas', (name) => {
    const { request, otherRequests = [], response } = operations[name].example;
    const isRequest = ajv.compile(operations[name].request as object);
    for (const each of [request, ...otherRequests]) {
      isRequest(each);
      expect(isRequest.errors).toBeNull();
    }
    const isResponse = ajv.compile(operations[name].response as object);
    isResponse(response);
    expect(isResponse.errors).toBeNull();
  });

  test.each(operationNames)('%s describes all of its fields, at any depth', (name) => {
    const silent: string[] = [];
    const look = (schema: Schema, place: string): void => {
      for (const [field, inner] of propertiesOf(schema)) {
        if (describeField(inner) === '') silent.push(`${place}.${field}`);
        look(inner, inner.title ?? `${place}.${field}`);
      }
      if (schema.items) look(schema.items, schema.items.title ?? `${place}[]`);
      for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) look(part, part.title ?? place);
    };
    look(operations[name].request as Schema, name);
    look(operations[name].response as Schema, name);
    expect([...new Set(silent)]).toEqual([]);
  });

  test.each(operationNames)('%s bounds every integer that it takes', (name) => {
    const unbounded: string[] = [];
    const look = (schema: Schema, place: string): void => {
      const field = place.split('.').at(-1) ?? '';
      // A longer `limit` is served as the longest.
      const most = field.endsWith('ts') || field === 'limit' ? Number.MAX_SAFE_INTEGER : integerMax;
      const { minimum = Number.NaN, maximum = Number.NaN } = schema;
      if (schema.type === 'integer' && !(minimum >= 0 && maximum <= most)) unbounded.push(place);
      for (const [inner, one] of Object.entries(schema.properties ?? {})) look(one, `${place}.${inner}`);
      for (const part of [schema.items ?? [], schema.anyOf ?? []].flat()) look(part, place);
    };
    look(operations[name].request as Schema, name);
    expect(unbounded).toEqual([]);
  });

  test.each(Object.entries(published))('%s has every field of the published contract', (name, fields) => {
    for (const side of ['request', 'response'] as const) {
      const paths = fieldPaths(operations[name as OperationName][side] as Schema);
      expect(paths).toEqual(expect.arrayContaining([...fields[side]]));
    }
  });

  test.each(operationNames.filter((name) => endpoints[name][0] === 'PUT'))(
    '%s returns the same as its get operation, and takes the same ID fields',
    (name) => {
      const reader = name.replace(/^update/, 'get') as (typeof operationNames)[number];
      expect(operations[reader].response).toEqual(operations[name].response);
      const fields = (schema: unknown) => Object.keys((schema as { properties: object }).properties);
      expect(fields(operations[name].request)).toEqual(
        expect.arrayContaining(fields(operations[reader].request)),
      );
    },
  );

  test('uses every error code', () => {
    const answered = new Set<string>([
      ...commonErrors,
      ...bodyErrors,
      ...downloadErrors,
      // Returned for a path, regardless of the operation.
      'METHOD_NOT_ALLOWED',
      ...operationNames.flatMap((name) => operations[name].errors),
    ]);
    expect(Object.keys(errorCodes).filter((code) => !answered.has(code))).toEqual([]);
  });

  test('has a unique prefix for each kind of ID', () => {
    const prefixes = Object.values(idPrefixes);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  test('requires the cell in an API key', () => {
    expect('tg_main_0123456789ABCDEFabcdefgh').toMatch(new RegExp(apiKeyPattern));
    expect('tg_MAIN_0123456789ABCDEFabcdefgh').not.toMatch(new RegExp(apiKeyPattern));
  });
});

describe('openapi.json', () => {
  const document = buildOpenApi() as {
    paths: Record<string, Record<string, { operationId: string; requestBody?: { content: object } }>>;
    components: { schemas: Record<string, unknown>; responses: Record<string, unknown> };
  };

  test('contains every operation once, with a unique operationId', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((each) => each.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...operationNames]));
  });

  test('only refers to components that exist', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, group, name] of references) {
      expect(Object.keys(document.components[group as 'schemas'])).toContain(name);
    }
  });

  test('names every object in a union, so that generated clients do not number them', () => {
    const unnamed: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { anyOf = [] } = value as { anyOf?: { type?: string }[] };
      if (anyOf.some(({ type }) => type === 'object')) unnamed.push(path);
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}/${key}`);
    };
    walk(document, '');
    expect(unnamed).toEqual([]);
  });

  test('allows null for every optional field of a request body', () => {
    const strict: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties, required = [] } = value as {
        properties?: Record<string, object>;
        required?: string[];
      };
      for (const [name, field] of Object.entries(properties ?? {}))
        if (!required.includes(name) && !JSON.stringify(field).includes('{"type":"null"}'))
          strict.push(`${path}.${name}`);
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}/${key}`);
    };
    const { paths, components } = document;
    for (const [path, methods] of Object.entries(paths))
      if (path !== '/oauth/token')
        for (const { requestBody } of Object.values(methods)) walk(requestBody, path);
    for (const name of ['EventRecord', 'UserRecord', 'ItemRecord', 'AlgorithmParametersInput'])
      walk(components.schemas[name], name);
    expect(strict).toEqual([]);
    expect(JSON.stringify(components.schemas['AlgorithmParameters'])).not.toContain('"null"');
  });

  test('has one content type per request body, because generated clients mix up two with the same schema', () => {
    const bodies = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ requestBody }) => requestBody ?? []),
    );
    expect(bodies.length).toBeGreaterThan(0);
    for (const { content } of bodies) expect(Object.keys(content)).toHaveLength(1);
  });

  test('can be limited to the operations of a server', () => {
    const { paths } = buildOpenApi(['getJob']) as typeof document;
    const tokens = ['/oauth/token', '/.well-known/jwks.json'];
    expect(Object.keys(paths)).toEqual([...tokens, '/get-job', '/downloads/{key}']);
    const { paths: others } = buildOpenApi(['getModel']) as typeof document;
    expect(Object.keys(others)).toEqual([...tokens, '/get-model']);
  });
});
