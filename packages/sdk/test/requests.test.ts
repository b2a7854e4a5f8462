import { readdirSync, readFileSync } from 'node:fs';
import { operations, type Response } from '@tastegraph/contract';
import {
  endpoints,
  isIdempotent,
  isRemoval,
  jobTypes,
  operationNames,
  submitNameOf,
} from '@tastegraph/contract/endpoints';
import { expect, expectTypeOf, test } from 'vitest';
import type { Tastegraph } from '../src/index.ts';
import { itemsKey, type ListName } from '../src/pages.ts';
import { connect, jobRef, server, serverPerTest } from './fake-server.ts';

serverPerTest();

test.each(operationNames)('%s is a method that sends the request of the contract', async (name) => {
  const [method, path] = endpoints[name];
  const client = connect(server);
  const request = { text: 'a b&c/ü', number: 5 };
  await (client[name] as (request: object) => Promise<unknown>)(request);
  const [call] = server.calls;
  expect(call).toMatchObject({ method, path });
  if (method === 'GET') {
    expect(call?.query).toEqual({ text: 'a b&c/ü', number: '5' });
    expect(call?.raw).toHaveLength(0);
  } else {
    expect(call?.headers['content-type']).toBe('application/json');
    expect(call?.query).toEqual({});
    expect(JSON.parse(call?.body ?? '')).toEqual(request);
  }
});

test('keeps the path of baseUrl', async () => {
  await connect(server, { baseUrl: `${server.baseUrl}/taste//` }).getJob(jobRef);
  expect(server.received.map(({ path }) => path)).toEqual(['/taste/oauth/token', '/taste/get-job']);
});

test('omits undefined parameters', async () => {
  await connect(server).request('listProjects', { page_size: 5, page_token: undefined } as never);
  expect(server.calls[0]?.query).toEqual({ page_size: '5' });
});

test('sends a request ID only if there is one', async () => {
  const client = connect(server);
  await client.getJob(jobRef, { requestId: 'import-7' });
  await client.getJob(jobRef);
  expect(server.calls.map(({ headers }) => headers['x-request-id'])).toEqual(['import-7', undefined]);
});

test('compresses bodies above gzipAboveBytes only', async () => {
  const small = { user_dataset_id: 'uds_1', users: [] };
  const bytes = JSON.stringify(small).length;
  const client = connect(server, { gzipAboveBytes: bytes });
  await client.upsertDatasetUsers(small);
  expect(server.calls[0]?.headers['content-encoding']).toBeUndefined();

  const large = {
    user_dataset_id: 'uds_1',
    users: Array.from({ length: 1000 }, (_, n) => ({ user_id: `ü${n}`, attributes: { plan: 'free' } })),
  };
  await client.upsertDatasetUsers(large);
  const [, call] = server.calls;
  expect(call?.headers['content-encoding']).toBe('gzip');
  expect([...(call?.raw.subarray(0, 2) ?? [])]).toEqual([0x1f, 0x8b]);
  expect(call?.raw.length).toBeLessThan(JSON.stringify(large).length / 4);
  expect(JSON.parse(call?.body ?? '')).toEqual(large);
});

test('compresses nothing if gzipAboveBytes is Infinity', async () => {
  const users = [{ user_id: 'u'.repeat(10_000) }];
  await connect(server, { gzipAboveBytes: Infinity }).upsertDatasetUsers({ user_dataset_id: 'uds_1', users });
  expect(server.calls[0]?.headers['content-encoding']).toBeUndefined();
});

test('lists all pages, requesting each one when it is needed', async () => {
  const pages: Record<string, object> = {
    '': { event_datasets: [{ name: 'a' }, { name: 'b' }], next_page_token: 'two' },
    two: { event_datasets: [], next_page_token: 'three' },
    three: { event_datasets: [{ name: 'c' }], next_page_token: null },
  };
  server.operation = ({ query }) => ({ body: pages[query['page_token'] ?? ''] ?? {} });
  const client = connect(server);
  const names: string[] = [];
  for await (const { name } of client.listAll('listEventDatasets', { page_size: 2 })) names.push(name);
  expect(names).toEqual(['a', 'b', 'c']);
  expect(server.calls.map(({ query }) => query)).toEqual([
    { page_size: '2' },
    { page_size: '2', page_token: 'two' },
    { page_size: '2', page_token: 'three' },
  ]);
  await client.listAll('listEventDatasets').next();
  expect(server.calls).toHaveLength(4);
});

test('knows the field with the elements of every list', () => {
  const lists = operationNames.filter((name) => name.startsWith('list')) as ListName[];
  expect(lists.length).toBeGreaterThan(0);
  for (const name of lists)
    expect(Object.keys(operations[name].response.properties).toSorted()).toEqual(
      [itemsKey(name), 'message', 'next_page_token'].toSorted(),
    );
});

test('knows which operations are not idempotent, and which delete an object', () => {
  expect(operationNames.filter((name) => !isIdempotent(name))).toEqual([
    'createUserDataset',
    'createItemDataset',
    'createEventDataset',
    'createProject',
    'createAlgorithm',
    ...jobTypes.map(submitNameOf),
    'rollbackDeployment',
    'createScenario',
    'createExperiment',
    'createSchedule',
    'createWebhook',
    'createApiKey',
    'createWriteKey',
  ]);
  expect(operationNames.filter((name) => isRemoval(name))).toEqual([
    'deleteUserDataset',
    'deleteItemDataset',
    'deleteEventDataset',
    'deleteProject',
    'deleteAlgorithm',
    'deleteJob',
    'deleteModel',
    'deleteScenario',
    'deleteSchedule',
    'deleteWebhook',
  ]);
});

test('types come from the contract', () => {
  expectTypeOf<Tastegraph['getJob']>().returns.resolves.toEqualTypeOf<Response<'getJob'>>();
  expectTypeOf<Tastegraph['getJob']>().parameter(0).toEqualTypeOf<{ project_id: string; job_id: string }>();
  expectTypeOf<Tastegraph['deleteModel']>().returns.resolves.toEqualTypeOf<Response<'deleteModel'> | null>();
  expectTypeOf<Tastegraph['shutdownDeployment']>().returns.resolves.toEqualTypeOf<{ project_id: string }>();
  expectTypeOf<[]>().toExtend<Parameters<Tastegraph['listProjects']>>();
  expectTypeOf<[]>().not.toExtend<Parameters<Tastegraph['listJobs']>>();
  expectTypeOf<ListName>().toEqualTypeOf<
    | 'listUserDatasets'
    | 'listItemDatasets'
    | 'listEventDatasets'
    | 'listDatasetUsers'
    | 'listDatasetItems'
    | 'listDatasetEvents'
    | 'listProjects'
    | 'listAlgorithms'
    | 'listJobs'
    | 'listModels'
    | 'listScenarios'
    | 'listExperiments'
    | 'listSchedules'
    | 'listWebhooks'
    | 'listPeople'
    | 'listAuditEvents'
    | 'listApiKeys'
  >();
});

test('imports only its own files and the table of endpoints at run time', () => {
  const folder = new URL('../src/', import.meta.url);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isSource)) {
    const imports = readFileSync(new URL(file, folder), 'utf8').matchAll(
      /^(?:import|export)(?! type)[^;]*? from '([^']+)'/gm,
    );
    for (const [, source] of imports)
      expect(source, file).toMatch(/^(\.{1,2}\/[a-z/-]+\.ts|@tastegraph\/contract\/endpoints)$/);
  }
});

const isSource = (file: string) => file.endsWith('.ts');
