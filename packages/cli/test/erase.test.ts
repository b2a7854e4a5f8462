import { expect, test } from 'vitest';
import { open, openWith } from './open-cli.ts';

const running = {
  erasure_id: 'ers_1',
  user_id: 'anna',
  status: 'RUNNING',
  created_ts: 1,
  records_deleted_ts: 2,
  finished_ts: null,
  removed: [],
  remains: [{ what: 'Backups', until: 'they are dropped' }],
};
const removed = [{ where: 'eds_1', kind: 'EVENTS', count: 3 }];
const done = { ...running, user_id: null, status: 'DONE', finished_ts: 3, removed };

test('erase waits until the erasure is complete and shows the receipt', async () => {
  const { cli, requests } = await openWith(({ path }) => (path === '/erase-user' ? running : done));
  const result = await cli.run(['erase', 'anna', '--yes', '--json']);
  expect(result.code).toBe(0);
  expect(JSON.parse(result.stdout)).toEqual(done);
  expect(requests).toEqual([
    ['/erase-user', { user_id: 'anna' }],
    ['/get-erasure', { erasure_id: 'ers_1' }],
  ]);
  const { stdout } = await cli.run(['erase', 'anna', '--yes']);
  for (const word of ['ers_1', 'EVENTS', 'eds_1', '3', 'Backups']) expect(stdout).toContain(word);
});

test('an interrupted erase prints the ID of the erasure', async () => {
  const { promise: requested, resolve } = Promise.withResolvers<true>();
  const { cli } = await openWith(({ path }) => {
    if (path === '/get-erasure') resolve(true);
    return running;
  });
  const result = await cli.run(['erase', 'anna', '--yes'], {
    async whileRunning(child) {
      await requested;
      child.kill('SIGINT');
    },
  });
  expect(result).toMatchObject({ code: 130, stdout: '' });
  expect(result.stderr).toContain('ers_1');
});

test('erase sends nothing before it is confirmed', async () => {
  const requests: string[] = [];
  const { cli } = await open(({ path }) => void requests.push(path));
  expect(await cli.run(['erase', 'anna'])).toMatchObject({ code: 2, stdout: '' });
  expect(requests).toEqual([]);
});
