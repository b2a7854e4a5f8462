import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWith } from './open-cli.ts';

const scenario = {
  project_id: 'prj_1',
  name: 'home',
  question: 'ITEMS_TO_USER',
  version: 3,
  created_ts: 0,
  updated_ts: 0,
  limit: 5,
};

const open = () =>
  openWith(({ path }) => {
    if (path === '/list-scenarios') return { scenarios: [scenario], next_page_token: null };
    if (path === '/recommend-items-to-user')
      return { results: [{ item: { item_id: 'i', title: 'T' } }], attributes: ['title'] };
    return scenario;
  });

function write(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'tastegraph-scenario-')), 'settings.json');
  writeFileSync(path, text);
  return path;
}

test('scenarios are created and changed with the fields of a JSON file', async () => {
  const { cli, requests } = await open();
  const file = write('{"limit": 5}');
  expect((await cli.run(['scenarios', 'create', 'home', file])).code).toBe(0);
  expect((await cli.run(['scenarios', 'update', 'home', file])).stdout).toContain('version 3');
  expect((await cli.run(['scenarios', 'create', 'r', file, '--question', 'RANKING'])).code).toBe(0);
  const ref = { project_id: 'prj_1', name: 'home' };
  expect(requests).toEqual([
    ['/create-scenario', { ...ref, question: 'ITEMS_TO_USER', limit: 5 }],
    ['/update-scenario', { ...ref, limit: 5 }],
    ['/create-scenario', { project_id: 'prj_1', name: 'r', question: 'RANKING', limit: 5 }],
  ]);
  for (const text of ['[1]', 'no json'])
    expect((await cli.run(['scenarios', 'create', 'home', write(text)])).code).toBe(2);
  expect((await cli.run(['scenarios', 'create', 'home', '/nowhere.json'])).code).toBe(2);
});

test('scenarios are listed, shown and deleted', async () => {
  const { cli, requests } = await open();
  expect((await cli.run(['scenarios', 'list'])).stdout).toContain('home');
  expect((await cli.run(['scenarios', 'show', 'home', '--version-number', '2'])).stdout).toMatch(/limit +5/);
  expect((await cli.run(['scenarios', 'delete', 'home', '--yes', '--json'])).stdout).toContain('"home"');
  expect(requests.map(([path]) => path)).toEqual(['/list-scenarios', '/get-scenario', '/delete-scenario']);
});

test('recommend --scenario sends only the fields that are given', async () => {
  const { cli, requests } = await open();
  const { stdout } = await cli.run(['recommend', 'anna', '--scenario', 'home']);
  expect(requests).toEqual([
    ['/recommend-items-to-user', { user_id: 'anna', project_id: 'prj_1', scenario: 'home' }],
  ]);
  expect(stdout).toContain('T');
});
