import { expect, test } from 'vitest';
import { openWith } from './open-cli.ts';

/** A service with one dataset of each kind, whose lists have two pages. */
const open = () => {
  const datasetOf = (kind: string) => [{ [`${kind}_dataset_id`]: `${kind}-1`, name: 'd' }];
  const datasets = {
    '/list-user-datasets': { user_datasets: datasetOf('user') },
    '/list-item-datasets': { item_datasets: datasetOf('item') },
    '/list-event-datasets': { event_datasets: datasetOf('event') },
  };
  return openWith(({ path, body }) => {
    const record = (id: string) =>
      path.includes('event')
        ? {
            event_id: id,
            user_id: 'anna',
            item_id: 'i',
            ts: 0,
            event_type: 'view',
            event_value: 1,
            attributes: { a: 1 },
          }
        : { [path.includes('user') ? 'user_id' : 'item_id']: id, attributes: { a: 1 } };
    if (path.startsWith('/get-')) return record('x');
    const isFirst = !('page_token' in body);
    const key = path.slice('/list-dataset-'.length);
    return { [key]: [record(isFirst ? 'x' : 'y')], next_page_token: isFirst ? 'T' : null };
  }, datasets);
};

test('records get shows one record', async () => {
  const { cli, requests } = await open();
  const { code, stdout } = await cli.run(['records', 'get', 'items', 'd', 'x', '--json']);
  expect({ code, record: JSON.parse(stdout) as unknown }).toEqual({
    code: 0,
    record: { item_id: 'x', attributes: { a: 1 } },
  });
  expect(requests).toEqual([['/get-dataset-item', { item_dataset_id: 'item-1', item_id: 'x' }]]);
  expect((await cli.run(['records', 'get', 'events', 'd', 'x'])).stdout).toMatch(/attributes\.a +1/);
});

test('records list reads as many pages as it needs', async () => {
  const { cli, requests } = await open();
  const all = await cli.run(['records', 'list', 'users', 'd', '--prefix', 'a%', '--json']);
  expect(JSON.parse(all.stdout)).toEqual({
    users: [
      { user_id: 'x', attributes: { a: 1 } },
      { user_id: 'y', attributes: { a: 1 } },
    ],
  });
  expect(requests.map(([, body]) => body)).toEqual([
    { user_dataset_id: 'user-1', id_prefix: 'a%', page_size: '20' },
    { user_dataset_id: 'user-1', id_prefix: 'a%', page_size: '20', page_token: 'T' },
  ]);
  const one = await cli.run(['records', 'list', 'items', 'd', '--limit', '1']);
  expect(one.stdout).toContain('x');
  expect(one.stdout).not.toContain('y');
});

test("records list shows a user's events in a time range", async () => {
  const { cli, requests } = await open();
  const range = '--since 1970-01-01T00:00:01 --until 2000 --type view';
  const args = `records list events d --user anna ${range} --limit 1`.split(' ');
  const { code, stdout } = await cli.run(args);
  expect(code).toBe(0);
  expect(stdout).toContain('1970-01-01 00:00:00');
  expect(requests).toEqual([
    [
      '/list-dataset-events',
      {
        event_dataset_id: 'event-1',
        user_id: 'anna',
        event_type: 'view',
        since_ts: '1000',
        until_ts: '2000',
        page_size: '1',
      },
    ],
  ]);
});

test.each([
  ['events', []],
  ['events', ['--user', 'anna', '--prefix', 'a']],
  ['users', ['--user', 'anna']],
  ['items', ['--since', '0']],
  ['events', ['--user', 'anna', '--since', 'yesterday']],
])('records list %s refuses the options %j', async (kind, options) => {
  const { cli, requests } = await open();
  expect(await cli.run(['records', 'list', kind, 'd', ...options])).toMatchObject({ code: 2, stdout: '' });
  expect(requests).toEqual([]);
});
