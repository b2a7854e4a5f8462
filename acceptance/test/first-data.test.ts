import type { ApiError } from '@tastegraph/sdk';
import { AuthError, NotFoundError, Tastegraph, ValidationError } from '@tastegraph/sdk';
import { expect, test } from 'vitest';
import { access, client } from './client.ts';

test('a developer creates the three datasets and imports users, items and events', async () => {
  const people = { name: 'people', num_shards: 1, attribute_schema: { age: 'NUMERICAL' } } as const;
  const films = { name: 'films', num_shards: 1, attribute_schema: { genres: 'CATEGORICAL' } } as const;
  const created = await client.createUserDataset(people);
  const { item_dataset_id } = await client.createItemDataset(films);
  const views = await client.createEventDataset({ name: 'views', num_shards: 1 });
  expect(created).toMatchObject({ ...people, record_count: 0 });
  expect(views).toMatchObject({ attribute_schema: null });

  const { user_dataset_id } = created;
  const { event_dataset_id } = views;
  const prefixes = [user_dataset_id, item_dataset_id, event_dataset_id].map((id) => id.slice(0, 4));
  expect(prefixes).toEqual(['uds_', 'ids_', 'eds_']);

  expect(
    await client.upsertDatasetUsers({ user_dataset_id, users: [{ user_id: 'u1', attributes: { age: 33 } }] }),
  ).toEqual({ user_dataset_id, succeed_ids: ['u1'], failed_ids: [], failed_count: 0, failures: [] });
  expect(
    await client.upsertDatasetItems({
      item_dataset_id,
      items: [{ item_id: 'i1', attributes: { title: 'Alien', genres: ['Horror', 'Sci-Fi'] } }],
    }),
  ).toMatchObject({ succeed_ids: ['i1'] });

  const thousand = Array.from({ length: 1000 }, (_, index) => ({
    event_id: `e${index}`,
    user_id: `u${index % 10}`,
    item_id: `i${index % 7}`,
    ts: 1_700_000_000_000 + index,
    event_type: 'watch',
  }));
  const imported = await client.upsertDatasetEvents({ event_dataset_id, events: thousand });
  expect(imported.succeed_ids).toEqual(thousand.map((event) => event.event_id));
  // Repeating an import changes nothing.
  await client.upsertDatasetEvents({ event_dataset_id, events: thousand });
  expect(await client.getEventDataset({ event_dataset_id })).toMatchObject({ record_count: 1000 });

  await client.deleteDatasetUserEvents({ event_dataset_id, user_id: 'u3' });
  expect(await client.getEventDataset({ event_dataset_id })).toMatchObject({ record_count: 900 });
  await client.deleteDatasetEventsBeforeTs({ event_dataset_id, ts: 1_700_000_000_500 });
  expect(await client.getEventDataset({ event_dataset_id })).toMatchObject({ record_count: 450 });
  expect(await client.deleteDatasetItems({ item_dataset_id, ids: ['i1', 'i2'] })).toEqual({
    item_dataset_id,
    deleted_ids: ['i1'],
  });

  expect(await client.deleteEventDataset({ event_dataset_id })).toMatchObject({
    event_dataset_id,
    record_count: 450,
  });
  await expect(client.getEventDataset({ event_dataset_id })).rejects.toBeInstanceOf(NotFoundError);
});

test('an invalid record fails on its own, with a reason', async () => {
  const { event_dataset_id } = await client.createEventDataset({ name: 'some bad', num_shards: 1 });
  const good = { event_id: 'good', user_id: 'u', item_id: 'i', ts: 1, event_type: 'watch' };
  const { succeed_ids, failed_ids, failures } = await client.upsertDatasetEvents({
    event_dataset_id,
    events: [{ ...good, event_id: 'bad', ts: 1.5 }, good, { ...good, event_id: 'worse', event_value: -1 }],
  });
  expect(succeed_ids).toEqual(['good']);
  expect(failed_ids).toEqual(['bad', 'worse']);
  expect(failures).toMatchObject([
    { index: 0, id: 'bad', code: 'FIELD_INVALID' },
    { index: 2, id: 'worse', code: 'FIELD_INVALID' },
  ]);
});

test('lists are paged, newest first, up to the last page', async () => {
  const made: string[] = [];
  for (let index = 0; index < 5; index++) {
    made.push((await client.createItemDataset({ name: `page ${index}`, num_shards: 1 })).item_dataset_id);
  }
  const listed: string[] = [];
  for await (const dataset of client.listAll('listItemDatasets', { page_size: 2 }))
    listed.push(dataset.item_dataset_id);
  // Other test files create some too.
  expect(listed.filter((id) => made.includes(id))).toEqual(made.toReversed());
  expect(new Set(listed).size).toBe(listed.length);
});

test('errors have a code, the path of the field and a request ID', async () => {
  await expect(client.createEventDataset({ name: '', num_shards: 0 })).rejects.toSatisfy((error) => {
    expect(error).toBeInstanceOf(ValidationError);
    const { code, errors, requestId } = error as ApiError;
    expect(code).toBe('INVALID_REQUEST');
    expect(errors.map(({ path }) => path).toSorted()).toEqual(['name', 'num_shards']);
    expect(requestId).toMatch(/\S/);
    return true;
  });
  const stranger = new Tastegraph({ ...access, apiSecret: 'wrong' });
  await expect(stranger.listEventDatasets()).rejects.toBeInstanceOf(AuthError);
});
