import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { CliSandbox } from './cli-sandbox.ts';
import { client, createProject } from './client.ts';

const cli = new CliSandbox();
beforeAll(() => cli.logIn());

/** IDs and values that a format could change: quotes, line breaks, numbers in text, large numbers. */
const ids = ['a', ' a ', 'a,b', '"', 'x\\', 'é', '🎵', '5', '007', 'null', '=1+1', '-', 'true'];
const attributes = {
  code: '5',
  zero: '007',
  flag: 'true',
  yes: true,
  price: 2.5,
  large: 1e300,
  exact: 2 ** 60,
  text: 'a\r\n"b", c|d\t',
  empty: '',
  list: ['x', 'y|z', '5'],
  mixed: [1, '1', false],
  '=formula': '=1+1',
  user_id: 'an attribute',
};
const attribute_schema = {
  code: 'CATEGORICAL',
  price: 'NUMERICAL',
  list: 'CATEGORICAL',
  text: 'CATEGORICAL',
  user_id: 'CATEGORICAL',
} as const;

test.each(['ndjson', 'csv', 'parquet'])(
  'what is exported as %s and imported again is the same',
  { timeout: 180_000 },
  async (format) => {
    const create = { name: `export ${format}`, num_shards: 1, attribute_schema };
    const { user_dataset_id } = await client.createUserDataset(create);
    const { item_dataset_id } = await client.createItemDataset(create);
    const { event_dataset_id } = await client.createEventDataset(create);
    const users = ids.map((user_id) => ({ user_id, attributes }));
    const items = ids.map((item_id) => ({ item_id, attributes }));
    const events = ids.map((id, n) => ({
      event_id: id,
      user_id: id,
      item_id: id,
      ts: 1_700_000_000_000 + n,
      event_type: n % 2 ? id : 'view',
      event_value: n / 4,
      attributes: n % 2 ? { ...attributes, deep: { a: [{ b: null }] } } : {},
    }));
    for (const outcome of [
      await client.upsertDatasetUsers({ user_dataset_id, users }),
      await client.upsertDatasetItems({ item_dataset_id, items }),
      await client.upsertDatasetEvents({ event_dataset_id, events }),
    ])
      expect(outcome).toMatchObject({ failed_ids: [], failures: [] });
    const datasets = { user_dataset_id, item_dataset_id, event_dataset_id };
    const project_id = await createProject(`export ${format} ${Date.now()}`, 'view', datasets);

    const copy = async (kind: 'users' | 'items' | 'events') => {
      const out = `${kind}.${format}`;
      const exported = await cli.json([
        'export',
        kind,
        '--project',
        project_id,
        '--format',
        format,
        '--out',
        out,
      ]);
      expect(exported).toMatchObject({ files: [out], record_count: ids.length });
      expect(readFileSync(cli.path(out)).length).toBeGreaterThan(0);
      const imported = await cli.json<Record<string, string>>([
        'import',
        kind,
        out,
        '--create',
        `${format} ${kind} ${Date.now()}`,
      ]);
      expect(imported).toMatchObject({ written: ids.length, rejected: 0 });
      return imported[`${kind.slice(0, -1)}_dataset_id`] ?? '';
    };
    const copiedUsers = await copy('users');
    const copiedItems = await copy('items');
    const copiedEvents = await copy('events');
    for (const { user_id } of users)
      expect(await client.getDatasetUser({ user_dataset_id: copiedUsers, user_id })).toEqual({
        user_id,
        attributes,
      });
    for (const { item_id } of items)
      expect(await client.getDatasetItem({ item_dataset_id: copiedItems, item_id })).toEqual({
        item_id,
        attributes,
      });
    for (const event of events)
      expect(
        await client.getDatasetEvent({ event_dataset_id: copiedEvents, event_id: event.event_id }),
      ).toEqual(event);
  },
);
