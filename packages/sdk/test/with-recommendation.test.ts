import { expect, test } from 'vitest';
import { withRecommendation } from '../src/index.ts';
import { connect, FakeServer } from './fake-server.ts';

const answer = (recommendation_id: string, ...items: string[]) => ({
  recommendation_id,
  results: items.map((item_id) => ({ item: { item_id } })),
});
const event = { event_id: 'e1', user_id: 'u1', item_id: 'i2', ts: 1, event_type: 'view' };

test('an event on a recommended item names the response', () => {
  expect(withRecommendation(event, answer('rec_1', 'i1', 'i2'))).toEqual({
    ...event,
    recommendation_id: 'rec_1',
  });
});

test('of several responses, the first with the item is named', () => {
  const answers = [answer('rec_1', 'i1'), answer('rec_2', 'i2'), answer('rec_3', 'i2')];
  expect(withRecommendation(event, ...answers)).toMatchObject({ recommendation_id: 'rec_2' });
});

test('an event on another item, or one that names a response, stays as it is', () => {
  expect(withRecommendation(event, answer('rec_1', 'i1'))).toBe(event);
  expect(withRecommendation(event)).toBe(event);
  const named = { ...event, recommendation_id: 'rec_0' };
  expect(withRecommendation(named, answer('rec_1', 'i2'))).toBe(named);
});

test('the ID of a response goes back to the service with the event', async () => {
  const server = await FakeServer.start();
  server.script({ body: answer('rec_1', 'i2') }, { body: { ok: true } });
  const client = connect(server);
  const given = await client.recommendItemsToUser({ project_id: 'prj_1', user_id: 'u1' });
  await client.upsertDatasetEvents({ event_dataset_id: 'evd_1', events: [withRecommendation(event, given)] });
  expect(JSON.parse(server.calls[1]?.body ?? '')).toMatchObject({ events: [{ recommendation_id: 'rec_1' }] });
});
