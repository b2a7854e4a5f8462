import { endpoints, nullableFields, operationNames, operations } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import type { ApiError } from '../../src/http/api-error.ts';
import { compileRequest } from '../../src/http/validate.ts';

function errorOf(name: Parameters<typeof compileRequest>[0], input: unknown, bytes = 100): ApiError {
  try {
    compileRequest(name)(input, bytes);
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('it was taken');
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
  readonly items?: ObjectSchema;
  readonly anyOf?: readonly ObjectSchema[];
  readonly const?: unknown;
}

/** The value with `filler` in the optional fields that it lacks; unless it `keeps` the others, in all. Records are checked later. */
function fill(schema: ObjectSchema, value: unknown, filler: null | undefined, keeps: boolean): unknown {
  const { properties = {}, items, anyOf } = schema;
  const inside = (inner: ObjectSchema, one: unknown) => fill(inner, one, filler, keeps);
  if (typeof value !== 'object' || value === null || 'x-records' in schema) return value;
  if (Array.isArray(value)) return items ? value.map((one) => inside(items, one)) : value;
  const fields = value as Record<string, unknown>;
  const hasConstants = ({ properties: own = {} }: ObjectSchema) =>
    Object.entries(own).every(([name, { const: only = fields[name] }]) => only === fields[name]);
  const variant = anyOf?.find(hasConstants);
  if (variant) return inside(variant, value);
  const kept = Object.entries(fields).map(([name, one]) => [name, inside(properties[name] ?? {}, one)]);
  const filled = nullableFields(schema).filter((name) => !keeps || !Object.hasOwn(fields, name));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(filled.map((name) => [name, filler])) };
}

const query = { name: 'q', project_id: 'p', model_id: 'm' };
const list = { ...query, query_type: 'user_list' };
const distribution = { ...query, query_type: 'user_distribution' };
const dataset = { name: 'x', num_shards: 1 };
const condition = { attribute: 'genres', value: 'Drama' };
const many = (count: number) => Array.from({ length: count }, () => condition);

describe('the validation of a request', () => {
  test('exists for every operation', () => {
    for (const name of operationNames) expect(() => compileRequest(name)).not.toThrow();
  });

  test.each([
    ['createUserDataset', {}, { name: 'is missing', num_shards: 'is missing' }],
    ['createUserDataset', { name: '', num_shards: 1 }, { name: '1 to 200 characters' }],
    [
      'createUserDataset',
      { name: 7, num_shards: '1' },
      { name: 'must be string', num_shards: 'must be integer' },
    ],
    ['createUserDataset', { name: 'x', num_shards: 0 }, { num_shards: 'must be >= 1' }],
    ['createUserDataset', { ...dataset, shards: 2 }, { shards: 'name, num_shards, attribute_schema' }],
    [
      'createUserDataset',
      { ...dataset, attribute_schema: { a: 'TEXT' } },
      { 'attribute_schema.a': 'NUMERICAL, CATEGORICAL' },
    ],
    [
      'createItemDataset',
      { ...dataset, attribute_schema: { a: 'X' } },
      { 'attribute_schema.a': 'NUMERICAL, CATEGORICAL, TEXT, VECTOR(384)' },
    ],
    [
      'createUserDataset',
      { ...dataset, attribute_schema: { '': 'NUMERICAL' } },
      { attribute_schema: '1 to 200 characters' },
    ],
    ['createUserDataset', { ...dataset, attribute_schema: 7 }, { attribute_schema: 'must be object' }],
    ['createUserDataset', null, { '': 'must be object' }],
    ['createUserDataset', [], { '': 'must be object' }],
    ['upsertDatasetUsers', { user_dataset_id: 'x', users: {} }, { users: 'must be array' }],
    ['deleteDatasetUsers', { user_dataset_id: 'x', ids: ['a', 7] }, { 'ids.1': 'must be string' }],
    ['listUserDatasets', { page_size: 'x' }, { page_size: 'must be integer' }],
    ['submitQueryingJob', list, { queries: 'is missing' }],
    ['submitQueryingJob', { ...query, queries: [{ conditions: [] }] }, { query_type: 'is missing' }],
    [
      'submitQueryingJob',
      { ...query, query_type: 'users', queries: [] },
      { query_type: 'user_list, user_distribution' },
    ],
    [
      'submitQueryingJob',
      { ...list, queries: [{ conditions: many(21) }] },
      { 'queries.0.conditions': 'must NOT have more than 20 items' },
    ],
    [
      'submitQueryingJob',
      { ...distribution, queries: many(101) },
      { queries: 'must NOT have more than 100 items' },
    ],
    [
      'submitQueryingJob',
      { ...distribution, queries: [{ ...condition, bins: 1001 }] },
      { 'queries.0.bins': 'must be <= 1000' },
    ],
    [
      'submitQueryingJob',
      { ...list, queries: [{ conditions: [{ ...condition, upper_bund: 1 }] }] },
      { 'queries.0.conditions.0.upper_bund': 'upper_bound?' },
    ],
    [
      'submitClusteringJob',
      { ...query, cluster_type: 'user', parameters: { max_clusters: 51 } },
      { 'parameters.max_clusters': 'must be <= 50' },
    ],
  ] as const)(
    '%s of %j is refused with the path of each wrong field and what is expected',
    (name, input, expected) => {
      const { code, errors, message } = errorOf(name, input);
      expect(code).toBe('INVALID_REQUEST');
      expect(errors.map(({ path }) => path)).toEqual(Object.keys(expected));
      for (const [index, fact] of Object.values(expected).entries())
        expect(errors[index]?.message).toContain(fact);
      expect(message).toContain(Object.values(expected)[0]);
    },
  );

  test.each(operationNames.filter((name) => endpoints[name][0] !== 'GET'))(
    '%s takes null for absent in every optional field, at any depth',
    (name) => {
      const { example, request } = operations[name];
      const parse = compileRequest(name);
      for (const asked of [example.request, ...('otherRequests' in example ? example.otherRequests : [])]) {
        const filledWith = (filler: null | undefined, keeps: boolean) =>
          parse(fill(request as ObjectSchema, asked, filler, keeps), 100);
        expect(filledWith(null, true)).toEqual(asked);
        expect(filledWith(null, false)).toEqual(filledWith(undefined, false));
      }
    },
  );

  test('takes null as a value where the contract gives it a meaning, and not in a required field', () => {
    const update = { user_dataset_id: 'x', name: null, attribute_schema: null };
    expect(compileRequest('updateUserDataset')(update, 100)).toEqual({
      user_dataset_id: 'x',
      attribute_schema: null,
    });
    expect(errorOf('createUserDataset', { name: 'x', num_shards: null }).errors).toMatchObject([
      { path: 'num_shards' },
    ]);
  });

  describe.each(operationNames.filter((name) => endpoints[name][0] === 'GET'))('%s', (name) => {
    const { properties } = operations[name].request as { properties: Record<string, { type?: string }> };
    const integers = Object.keys(properties).filter((field) => properties[field]?.type === 'integer');

    test('has only fields that a query string can hold', () => {
      const types = new Set(Object.values(properties).map(({ type = 'string' }) => type));
      expect(types.difference(new Set(['string', 'integer']))).toEqual(new Set());
    });

    test.each(integers)('takes %s as digits, and in no other notation', (field) => {
      const wrong = (value: string) =>
        errorOf(name, { [field]: value, '': '' }).errors.map(({ path }) => path);
      expect(wrong('5')).not.toContain(field);
      for (const value of ['Infinity', '1e3', '0x10', ' 5', '', '+5', '-5', '5.0', '٥', '9'.repeat(400)])
        expect({ value, wrong: wrong(value) }).toEqual({
          value,
          wrong: expect.arrayContaining([field]) as string[],
        });
    });
  });

  test('takes no numbers as text in a body', () => {
    expect(errorOf('createUserDataset', { name: 'x', num_shards: '10' }).errors).toHaveLength(1);
  });

  test('does not check records, which are checked one by one later', () => {
    const users = [null, 7, {}, { user_id: 'x' }];
    expect(compileRequest('upsertDatasetUsers')({ user_dataset_id: 'x', users }, 100)).toEqual({
      user_dataset_id: 'x',
      users,
    });
  });

  test.each([100, 10_000_000])(
    'refuses too many records with TOO_MANY_RECORDS, in a body of %i bytes',
    (bytes) => {
      const tooMany = new Array<number>(1001).fill(0);
      const users = errorOf('upsertDatasetUsers', { user_dataset_id: 'x', users: tooMany }, bytes);
      const items = errorOf('deleteDatasetItems', { item_dataset_id: 'x', ids: tooMany }, bytes);
      expect([users.code, items.code]).toEqual(['TOO_MANY_RECORDS', 'TOO_MANY_RECORDS']);
    },
  );

  test('reports at most twenty errors, and one for a large body', () => {
    const ids = new Array<number>(1000).fill(0);
    expect(errorOf('deleteDatasetUsers', { user_dataset_id: 'x', ids }).errors).toHaveLength(20);
    expect(errorOf('deleteDatasetUsers', { user_dataset_id: 'x', ids }, 1_000_000).errors).toHaveLength(1);
  });

  test('quotes only the beginning of a long unknown field', () => {
    const { errors, message } = errorOf('listUserDatasets', { ['x'.repeat(10_000)]: '1' });
    expect(errors[0]?.path).toHaveLength(100);
    expect(message.length).toBeLessThan(200);
  });
});
