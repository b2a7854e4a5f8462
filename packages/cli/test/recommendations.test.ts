import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { open as openCli, openWith } from './open-cli.ts';

const project = { project_id: 'prj_1', name: 'shop', title_attribute: null, deployment: null, default: true };
const answer = {
  recommendation_id: 'rec_1',
  attributes: ['title'],
  results: [
    { item: { item_id: 'i1', title: 'First' }, score: 2 },
    { item: { item_id: 'i2', title: null }, score: 0 },
  ],
  unknown_item_ids: ['i2'],
  window_hours: 72,
  event_type: 'buy',
  message: 'A message.',
  degraded: ['trend'],
};

const projects = { '/list-projects': { projects: [project] } };
const open = () => openWith(() => answer, { ...projects, '/get-project': project });

const project_id = 'prj_1';

test.each([
  [
    ['recommend', '--context', 'i1,i2', '--exclude', 'i3'],
    '/recommend-items-to-user',
    { project_id, context_items: ['i1', 'i2'], exclude_item_ids: ['i3'] },
  ],
  [
    ['recommend', 'anna', '--exclude-types', 'buy,view'],
    '/recommend-items-to-user',
    { project_id, user_id: 'anna', exclude_event_types: ['buy', 'view'] },
  ],
  [
    ['recommend', 'anna', '--seen', '--limit', '3'],
    '/recommend-items-to-user',
    { project_id, user_id: 'anna', limit: 3, exclude_seen: false },
  ],
  [
    ['similar', 'i1', 'i2', '--user', 'anna'],
    '/recommend-items-to-item',
    { project_id, item_ids: ['i1', 'i2'], user_id: 'anna' },
  ],
  [
    ['rank', 'anna', 'i1', 'i2', '--attributes', 'title'],
    '/rank-items-for-user',
    {
      project_id,
      user_id: 'anna',
      item_ids: ['i1', 'i2'],
      attributes: ['title'],
    },
  ],
  [
    ['popular', '--hours', '24', '--type', 'view', '--where', 'genre=Crime'],
    '/recommend-popular-items',
    { project_id, window_hours: 24, event_type: 'view', attribute: 'genre', value: 'Crime' },
  ],
] as const)('%j sends what its options say, and shows the items and remarks', async (args, path, body) => {
  const { cli, requests } = await open();
  const result = await cli.run([...args, '--project', 'shop']);
  expect({ code: result.code, requests }).toEqual({ code: 0, requests: [[path, body]] });
  for (const text of ['i1', 'i2', 'A message.']) expect(result.stdout + result.stderr).toContain(text);
});

test('items and reasons are called by the title that the project names, or by their IDs without one', async () => {
  const items = [
    { item_id: 'i1', label: 'One' },
    { item_id: 'i9', label: 'Nine' },
    { item_id: 'i2', label: '' },
  ];
  const [first, second] = answer.results;
  const reasons = [{ kind: 'item', id: 'i9', contribution: 2 }];
  const { cli, requests } = await openWith(
    ({ path }) =>
      path === '/find-items'
        ? { project_id, items, match_count: 3, is_complete: true }
        : { ...answer, results: [{ ...first, reasons }, second] },
    { '/get-project': { ...project, title_attribute: 'label' } },
  );
  const { code, stdout } = await cli.run(['recommend', 'anna', '--project', 'prj_1']);
  const item_ids = ['i1', 'i9', 'i2'];
  expect(requests).toContainEqual(['/find-items', { project_id, item_ids, attributes: ['label'] }]);
  expect(code).toBe(0);
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));
  expect(rows[0]).toEqual(['#', 'label', 'item_id', 'title', 'score', 'because of']);
  expect(rows[1]).toEqual(['1', 'One', 'i1', 'First', '2', 'Nine +2.0']);
  expect(rows[2]?.slice(0, 3)).toEqual(['2', 'i2', 'i2']);
});

test('recommend needs a user or a context, and popular at most one --where', async () => {
  const { cli, requests } = await open();
  expect((await cli.run(['recommend', '--project', 'shop'])).code).toBe(2);
  expect((await cli.run(['popular', '--project', 'shop', '--where', 'a=b,c=d'])).code).toBe(2);
  expect(requests).toEqual([]);
});

test('an attribute that no item has is named, with those that items have', async () => {
  const items = [{ item_id: 'i1', attributes: { title: 'First', price: 3 } }];
  const results = [{ item: { item_id: 'i1', titel: null, price: null } }];
  const lists = { ...projects, '/list-dataset-items': { items } };
  const { cli } = await openWith(() => ({ ...answer, attributes: ['titel', 'price'], results }), lists);
  const { stderr } = await cli.run(['recommend', 'u1', '--attributes', 'titel,price']);
  expect(stderr).toContain('No item has the attribute titel. Items have title, price.');
});

test('an invalid filter is explained once, with what a filter looks like', async () => {
  const message = 'line 1, column 7: "=" is not expected here. Write == to compare.';
  const { cli } = await openCli(({ path }) => {
    if (path === '/list-projects')
      return { status: 200, body: { projects: [project], next_page_token: null } };
    if (path !== '/recommend-items-to-user') return undefined;
    const detail = `filter_query is not valid: ${message}`;
    const errors = [{ path: 'filter_query', message }];
    return { status: 400, body: { code: 'INVALID_REQUEST', detail, errors, request_id: 'req_1' } };
  });
  const { code, stderr } = await cli.run(['recommend', 'u1', '--filter', 'genre = 1']);
  expect(code).toBe(1);
  expect(stderr.split('\n')).toEqual([
    `error: filter_query is not valid: ${message}`,
    expect.stringMatching(/^next: Correct --filter\./),
    'request: req_1',
    '',
  ]);
});

test('a list fits a terminal with 80 columns', async () => {
  const model = (n: number) => ({
    model_id: `mdl_${'0'.repeat(25)}${n}`,
    name: 'trained from the CLI',
    algorithm_type: 'G1',
    created_ts: 0,
    training: {
      metrics: { model: { recall_at_20: { value: 0.6 } }, popularity: { recall_at_20: { value: 0.1 } } },
    },
  });
  const models = [model(1), model(2)];
  const { cli } = await openWith(() => undefined, { ...projects, '/list-models': { models } });
  const line = 'export -f tastegraph; script -qec "stty cols 80; bash -c \'tastegraph models\'" /dev/null';
  const { stdout } = await cli.shell(line);
  const lines = stripVTControlCharacters(stdout).trimEnd().split(/\r?\n/);
  expect(lines).toHaveLength(8);
  expect(lines[2]).toMatch(/^trained +G1 +1970-01-01 +0\.600 +mdl_0{25}1$/);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
});
