import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import {
  apiKeyPattern,
  buildOpenApi,
  endpoints,
  errorCodes,
  idPrefixes,
  operationNames,
  operations,
} from '../src/index.ts';
import { bodyErrors, commonErrors, downloadErrors } from '../src/operations/operation.ts';
import { exampleOf } from '../src/reference/example.ts';

const methodOf: Record<string, string> = {
  create: 'POST',
  upsert: 'POST',
  submit: 'POST',
  cancel: 'POST',
  check: 'POST',
  recommend: 'POST',
  get: 'GET',
  list: 'GET',
  update: 'PUT',
  delete: 'DELETE',
  shutdown: 'DELETE',
};

describe('the contract', () => {
  test.each(operationNames)('%s is named after its path, and its method after its verb', (name) => {
    const [method, path] = endpoints[name];
    expect(path).toBe(`/${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
    expect(method).toBe(methodOf[name.split(/[A-Z]/)[0] ?? '']);
  });

  test.each(operationNames)('%s has schemas that compile under strict rules', (name) => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    ajv.addVocabulary(['x-error-code', 'x-records']);
    expect(typeof ajv.compile(operations[name].request as object)).toBe('function');
    expect(typeof ajv.compile(operations[name].response as object)).toBe('function');
  });

  test.each(operationNames)('%s is shown in the reference with examples that its schemas take', (name) => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true });
    ajv.addVocabulary(['x-error-code', 'x-records']);
    for (const schema of [operations[name].request, operations[name].response] as object[]) {
      const isValid = ajv.compile(schema);
      isValid(exampleOf(schema));
      expect(isValid.errors).toBeNull();
    }
  });

  test('gives every error code to some operation', () => {
    const answered = new Set<string>([
      ...commonErrors,
      ...bodyErrors,
      ...downloadErrors,
      ...operationNames.flatMap((name) => operations[name].errors),
    ]);
    expect(Object.keys(errorCodes).filter((code) => !answered.has(code))).toEqual([]);
  });

  test('has prefixes that tell the ids apart', () => {
    const prefixes = Object.values(idPrefixes);
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });

  test('names the cell in an API key', () => {
    expect('tg_main_0123456789ABCDEFabcdefgh').toMatch(new RegExp(apiKeyPattern));
    expect('tg_MAIN_0123456789ABCDEFabcdefgh').not.toMatch(new RegExp(apiKeyPattern));
  });
});

describe('openapi.json', () => {
  const document = buildOpenApi() as {
    paths: Record<string, Record<string, { operationId: string; requestBody?: { content: object } }>>;
    components: { schemas: Record<string, unknown>; responses: Record<string, unknown> };
  };

  test('holds every operation once, under an id of its own', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((each) => each.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining([...operationNames]));
  });

  test('refers only to components that are there', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, group, name] of references) {
      expect(Object.keys(document.components[group as 'schemas'])).toContain(name);
    }
  });

  test('gives a name to every object that is one of several: a generated client would number it', () => {
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

  test('takes each body under one content type: generated clients mix up two of one schema', () => {
    const bodies = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ requestBody }) => requestBody ?? []),
    );
    expect(bodies.length).toBeGreaterThan(0);
    for (const { content } of bodies) expect(Object.keys(content)).toHaveLength(1);
  });

  test('can be cut down to the operations that a server has', () => {
    const { paths } = buildOpenApi(['getJob']) as typeof document;
    const tokens = ['/oauth/token', '/.well-known/jwks.json'];
    expect(Object.keys(paths)).toEqual([...tokens, '/get-job', '/downloads/{key}']);
    const { paths: others } = buildOpenApi(['getModel']) as typeof document;
    expect(Object.keys(others)).toEqual([...tokens, '/get-model']);
  });
});
