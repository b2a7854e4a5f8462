import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Handler, listed } from './fake-service.ts';
import { open as openCli } from './open-cli.ts';

async function open(handler?: Handler) {
  const requests: SentRequest[] = [];
  const opened = await openCli((request) => {
    requests.push({ path: request.path, ...request.body });
    return handler?.(request);
  });
  return { ...opened, requests };
}

type SentRequest = Readonly<Record<string, unknown>>;

const rows = (count: number) =>
  `user_id,name\n${Array.from({ length: count }, (_, n) => `u${n},Ann\n`).join('')}`;

test('import --create leaves room for ten times the rows of the file', async () => {
  const { cli, requests } = await open();
  writeFileSync(cli.path('users.csv'), rows(25_000));
  expect((await cli.run(['import', 'users', 'users.csv', '--create', 'x'])).code).toBe(0);
  const created = requests.filter(({ path }) => path === '/create-user-dataset');
  expect(created).toMatchObject([{ name: 'x', num_shards: 3 }]);
});

test('import --create uses fewer shards if the plan does not allow as many', async () => {
  const { cli, requests } = await open(({ path, body }) =>
    path === '/create-user-dataset' && (body['num_shards'] as number) > 1
      ? { status: 403, body: { code: 'QUOTA_EXCEEDED', detail: 'The plan allows 1 shard.', status: 403 } }
      : undefined,
  );
  writeFileSync(cli.path('users.csv'), rows(25_000));
  expect((await cli.run(['import', 'users', 'users.csv', '--create', 'x'])).code).toBe(0);
  const shards = requests.flatMap(({ path, num_shards }) =>
    path === '/create-user-dataset' ? [num_shards] : [],
  );
  expect(shards).toEqual([3, 1]);
});

test('import --create refuses a name that is in use, and suggests the existing dataset', async () => {
  const { cli, service } = await open(({ path }) => listed(path, 'user', 'uds_1'));
  writeFileSync(cli.path('users.csv'), rows(1));
  const { code, stderr } = await cli.run(['import', 'users', 'users.csv', '--create', 'x']);
  expect(code).toBe(2);
  expect(stderr).toContain('--dataset uds_1');
  expect(service.created).toEqual([]);
});

test('import --mode merge sends MERGE', async () => {
  const { cli, requests } = await open();
  writeFileSync(cli.path('users.csv'), rows(1));
  await cli.run(['import', 'users', 'users.csv', '--create', 'x', '--mode', 'merge']);
  expect(requests.find(({ path }) => path === '/upsert-dataset-users')).toMatchObject({ mode: 'MERGE' });
});

test('datasets update raises the number of shards', async () => {
  const { cli, requests } = await open(({ path, body }) =>
    path === '/update-user-dataset'
      ? { status: 200, body: { name: 'x', ...body } }
      : listed(path, 'user', 'uds_1'),
  );
  expect((await cli.run(['datasets', 'update', 'users', 'x', '--shards', '7'])).code).toBe(0);
  expect(requests.find(({ path }) => path === '/update-user-dataset')).toMatchObject({ num_shards: 7 });
});

test('datasets create and update set how long events are kept, and none keeps them', async () => {
  const { cli, requests } = await open(({ path, body }) =>
    path === '/update-event-dataset'
      ? { status: 200, body: { name: 'x', num_shards: 1, ...body } }
      : listed(path, 'event', 'eds_1'),
  );
  expect((await cli.run(['datasets', 'create', 'events', 'y', '--retention-days', '90'])).code).toBe(0);
  const update = ['datasets', 'update', 'events', 'x', '--retention-days'];
  // It deletes events, so the user must confirm it.
  expect((await cli.run([...update, '3'])).code).toBe(2);
  expect((await cli.run([...update, '30', '--yes'])).code).toBe(0);
  expect((await cli.run([...update, 'none'])).code).toBe(0);
  const sent = requests.flatMap(({ path, retention_days }) =>
    path === '/create-event-dataset' || path === '/update-event-dataset' ? [retention_days] : [],
  );
  expect(sent).toEqual([90, 30, null]);
});

test('only event datasets have a retention', async () => {
  const { cli, requests } = await open();
  for (const args of [
    ['create', 'users', 'y', '--retention-days', '90'],
    ['update', 'items', 'x', '--retention-days', 'none'],
    ['update', 'events', 'x', '--retention-days', '0'],
  ])
    expect((await cli.run(['datasets', ...args])).code).toBe(2);
  expect(requests.filter(({ path }) => path !== '/oauth/token')).toEqual([]);
});
