import { expect, test } from 'vitest';
import { openWith } from './open-cli.ts';

const project = { project_id: 'prj_1', name: 'shop', deployment: null };
const datasets = (kind: string, id: string) => ({
  [`${kind}_datasets`]: [{ [`${kind}_dataset_id`]: id, name: kind }],
});

const open = () =>
  openWith(() => project, {
    '/list-projects': { projects: [project] },
    '/list-user-datasets': datasets('user', 'uds_1'),
    '/list-item-datasets': datasets('item', 'ids_1'),
    '/list-event-datasets': datasets('event', 'eds_1'),
  });

const create = 'project create shop --users user --items item --events event --target buy'.split(' ');
const created = {
  name: 'shop',
  project_type: 'RECOMMEND_ITEMS_TO_USER',
  target_event_type: 'buy',
  user_dataset_id: 'uds_1',
  item_dataset_id: 'ids_1',
  event_dataset_id: 'eds_1',
};

test.each([
  [create, '/create-project', created],
  [
    [...create, '--negative-types', 'dislike,return'],
    '/create-project',
    { ...created, negative_event_types: ['dislike', 'return'] },
  ],
  [['project', 'update', 'shop', '--name', 'new'], '/update-project', { project_id: 'prj_1', name: 'new' }],
  [
    ['project', 'update', 'shop', '--negative-types', 'dislike'],
    '/update-project',
    { project_id: 'prj_1', negative_event_types: ['dislike'] },
  ],
  [
    ['project', 'update', 'shop', '--negative-types', ''],
    '/update-project',
    { project_id: 'prj_1', negative_event_types: [] },
  ],
  [
    [...create, '--title-attribute', 'title', '--picture-attribute', 'cover'],
    '/create-project',
    { ...created, title_attribute: 'title', picture_attribute: 'cover' },
  ],
  [
    ['project', 'update', 'shop', '--title-attribute', 'label', '--picture-attribute', ''],
    '/update-project',
    { project_id: 'prj_1', title_attribute: 'label', picture_attribute: null },
  ],
])('%j sends what its options say', async (args, path, body) => {
  const { cli, requests } = await open();
  expect((await cli.run(args)).code).toBe(0);
  expect(requests).toEqual([[path, body]]);
});

test('project update refuses to change nothing', async () => {
  const { cli, requests } = await open();
  expect((await cli.run(['project', 'update', 'shop'])).code).toBe(2);
  expect(requests).toEqual([]);
});

test.each([
  [{}, '`tastegraph train --project shop --watch`', '`tastegraph project --help`'],
  // As npx sets it.
  [
    { npm_command: 'exec' },
    '`npx @tastegraph/cli train --project shop --watch`',
    '`npx @tastegraph/cli project --help`',
  ],
])(
  'with %j in the environment, messages suggest commands as the user types them',
  async (env, next, help) => {
    const { cli } = await open();
    expect((await cli.run(create, { env })).stderr).toContain(`Next: ${next}.`);
    expect((await cli.run(['project', 'nothing'], { env })).stderr).toContain(help);
  },
);
