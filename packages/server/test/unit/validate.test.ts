import { operationNames } from '@tastegraph/contract';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/domain/fault.ts';
import { compileRequest } from '../../src/http/validate.ts';

function faultOf(name: Parameters<typeof compileRequest>[0], input: unknown, bytes = 100): Fault {
  try {
    compileRequest(name)(input, bytes);
  } catch (fault) {
    return fault as Fault;
  }
  throw new Error('it was taken');
}

const query = { name: 'q', project_id: 'p', model_id: 'm' };
const condition = { attribute: 'genres', value: 'Drama' };
const many = (count: number) => Array.from({ length: count }, () => condition);

describe('the check of a request', () => {
  test('exists for every operation', () => {
    for (const name of operationNames) expect(() => compileRequest(name)).not.toThrow();
  });

  test.each([
    [
      'createUserDataset',
      {},
      [
        ['name', 'is missing'],
        ['num_shards', 'is missing'],
      ],
    ],
    ['createUserDataset', { name: '', num_shards: 1 }, [['name', 'must be 1 to 200 characters, for people']]],
    [
      'createUserDataset',
      { name: 7, num_shards: '1' },
      [
        ['name', 'must be string'],
        ['num_shards', 'must be integer'],
      ],
    ],
    ['createUserDataset', { name: 'x', num_shards: 0 }, [['num_shards', 'must be >= 1']]],
    [
      'createUserDataset',
      { name: 'x', num_shards: 1, shards: 2 },
      [['shards', 'is not known here; known are name, num_shards, attribute_schema']],
    ],
    [
      'createUserDataset',
      { name: 'x', num_shards: 1, attribute_schema: { a: 'TEXT' } },
      [['attribute_schema.a', 'must be one of NUMERICAL, CATEGORICAL']],
    ],
    [
      'createItemDataset',
      { name: 'x', num_shards: 1, attribute_schema: { a: 'X' } },
      [['attribute_schema.a', 'must be one of NUMERICAL, CATEGORICAL, TEXT']],
    ],
    [
      'createUserDataset',
      { name: 'x', num_shards: 1, attribute_schema: { '': 'NUMERICAL' } },
      [['attribute_schema', 'has a name that is not 1 to 200 characters without control characters']],
    ],
    [
      'createUserDataset',
      { name: 'x', num_shards: 1, attribute_schema: 7 },
      [['attribute_schema', 'must be object']],
    ],
    ['createUserDataset', null, [['', 'must be object']]],
    ['createUserDataset', [], [['', 'must be object']]],
    ['upsertDatasetUsers', { user_dataset_id: 'x', users: {} }, [['users', 'must be array']]],
    ['deleteDatasetUsers', { user_dataset_id: 'x', ids: ['a', 7] }, [['ids.1', 'must be string']]],
    ['listUserDatasets', { page_size: 'x' }, [['page_size', 'must be integer']]],
    ['submitQueryingJob', { ...query, query_type: 'user_list' }, [['queries', 'is missing']]],
    ['submitQueryingJob', { ...query, queries: [{ conditions: [] }] }, [['query_type', 'is missing']]],
    [
      'submitQueryingJob',
      { ...query, query_type: 'users', queries: [] },
      [['query_type', 'must be one of user_list, user_distribution']],
    ],
    [
      'submitQueryingJob',
      { ...query, query_type: 'user_list', queries: [{ conditions: many(21) }] },
      [['queries.0.conditions', 'must NOT have more than 20 items']],
    ],
    [
      'submitQueryingJob',
      { ...query, query_type: 'user_distribution', queries: many(101) },
      [['queries', 'must NOT have more than 100 items']],
    ],
    [
      'submitQueryingJob',
      { ...query, query_type: 'user_distribution', queries: [{ ...condition, bins: 1001 }] },
      [['queries.0.bins', 'must be <= 1000']],
    ],
    [
      'submitQueryingJob',
      { ...query, query_type: 'user_list', queries: [{ conditions: [{ ...condition, upper_bund: 1 }] }] },
      [
        [
          'queries.0.conditions.0.upper_bund',
          'is not known here; known are attribute, value, lower_bound, upper_bound',
        ],
      ],
    ],
    [
      'submitQueryingJob',
      { ...query, query_type: 'user_list', queries: [{ conditions: [{ ...condition, upper_bound: 1.5 }] }] },
      [['queries.0.conditions.0.upper_bound', 'must be <= 1']],
    ],
    [
      'submitClusteringJob',
      { ...query, cluster_type: 'user', parameters: { max_clusters: 51 } },
      [['parameters.max_clusters', 'must be <= 50']],
    ],
  ] as const)('%s of %j says what is wrong, and where', (name, input, expected) => {
    const { code, errors, message } = faultOf(name, input);
    expect(code).toBe('INVALID_REQUEST');
    expect(errors.map((error) => [error.path, error.message])).toEqual(expected);
    expect(message).toContain(expected[0][1]);
  });

  test('reads numbers from a query string, and only there', () => {
    expect(compileRequest('listUserDatasets')({ page_size: '10' }, 0)).toEqual({ page_size: 10 });
    expect(faultOf('createUserDataset', { name: 'x', num_shards: '10' }).errors).toHaveLength(1);
  });

  test('leaves records to be checked one by one', () => {
    const users = [null, 7, {}, { user_id: 'x' }];
    expect(compileRequest('upsertDatasetUsers')({ user_dataset_id: 'x', users }, 100)).toEqual({
      user_dataset_id: 'x',
      users,
    });
  });

  test.each([100, 10_000_000])('answers too many records with their own code, of %i bytes', (bytes) => {
    const many = new Array<number>(1001).fill(0);
    expect(faultOf('upsertDatasetUsers', { user_dataset_id: 'x', users: many }, bytes).code).toBe(
      'TOO_MANY_RECORDS',
    );
    expect(faultOf('deleteDatasetItems', { item_dataset_id: 'x', ids: many }, bytes).code).toBe(
      'TOO_MANY_RECORDS',
    );
  });

  test('tells twenty mistakes at most, and one of a large body', () => {
    const ids = new Array<number>(1000).fill(0);
    expect(faultOf('deleteDatasetUsers', { user_dataset_id: 'x', ids }).errors).toHaveLength(20);
    expect(faultOf('deleteDatasetUsers', { user_dataset_id: 'x', ids }, 1_000_000).errors).toHaveLength(1);
  });

  test('quotes at most the beginning of a field that is not known', () => {
    const { errors, message } = faultOf('listUserDatasets', { ['x'.repeat(10_000)]: '1' });
    expect(errors[0]?.path).toHaveLength(100);
    expect(message.length).toBeLessThan(200);
  });
});
