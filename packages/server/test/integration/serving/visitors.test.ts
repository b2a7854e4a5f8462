import { expect } from 'vitest';
import { deployByJob } from '../stack/deployment-cell.ts';
import { idsIn } from '../stack/shop.ts';
import { caller, test } from '../stack/stack.ts';
import { batchesOf, fixedParameters, makeProject, trainModel } from '../stack/training.ts';

/** What events of other types than the target are worth, over HTTP. */

const genres = ['crime', 'cooking', 'travel', 'poetry', 'history'];
const books = genres.flatMap((genre) => Array.from({ length: 20 }, (_, book) => `${genre}-${book}`));

/** From 0 to 1, the same for the same place. */
const noise = (place: number) => ((place * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;

/** A bookshop: all readers view books of their genre; half of them buy two or three, and everybody else's are crime. */
function bookshopEvents() {
  const events: { user_id: string; item_id: string; event_type: string }[] = [];
  for (let user = 0; user < 500; user++) {
    const genre = user % 9 < 5 ? 'crime' : genres[user % genres.length];
    const pick = (turn: number) => {
      const [which, other] = [noise(user * 31 + turn), noise(user * 17 + turn * 7 + 3)];
      return `${other < 0.2 ? 'crime' : genre}-${Math.floor(which ** 2 * 20)}`;
    };
    const add = (event_type: string, turn: number) =>
      events.push({ user_id: `u${user}`, item_id: pick(turn), event_type });
    for (let turn = 0; turn < 6; turn++) add('view', turn);
    if (user % 2 === 0) for (let turn = 6; turn < 9 + (user % 3); turn++) add('buy', turn);
  }
  return events;
}

test('a visitor who only viewed four cookbooks gets cookbooks, and the model says what a view is worth', async () => {
  const project = await makeProject(caller, { users: 2, each: 1, items: 2 });
  const { project_id, item_dataset_id, event_dataset_id } = project;
  const items = books.map((item_id) => ({ item_id, attributes: {} }));
  await caller.call('upsertDatasetItems', { item_dataset_id, items });
  const events = bookshopEvents().map((event, place) => ({
    ...event,
    event_id: `b${place}`,
    ts: 1_700_000_000_000 + place * 1000,
  }));
  for (const batch of batchesOf(events))
    await caller.call('upsertDatasetEvents', { event_dataset_id, events: batch });
  const model_id = await trainModel(caller, project);
  await deployByJob(caller, project, { generator_model_id: model_id });

  await caller.call('upsertDatasetEvents', {
    event_dataset_id,
    events: [1, 3, 5, 7].map((book) => ({
      event_id: `visit${book}`,
      user_id: 'visitor',
      item_id: `cooking-${book}`,
      ts: 1_750_000_000_000 + book,
      event_type: 'view',
    })),
  });
  const ids = idsIn(await caller.call('recommendItemsToUser', { project_id, user_id: 'visitor', limit: 10 }));
  expect(ids.filter((id) => id.startsWith('cooking')).length).toBeGreaterThanOrEqual(6);

  const { training } = await caller.call('getModel', { project_id, model_id });
  const [other] = training.other_event_types ?? [];
  if (other?.event_type !== 'view') throw new Error('The record does not say what a view is worth');
  const { visitors, active_users, tried_weights } = other;
  expect(visitors.weight).toBeGreaterThan(0);
  expect(visitors.users).toBeGreaterThan(20);
  expect(visitors.ndcg_at_20.value).toBeGreaterThan(visitors.ndcg_at_20_without.value);
  expect(active_users.users).toBeGreaterThanOrEqual(visitors.users);
  expect(tried_weights.map(({ weight }) => weight)).toContain(0);
});

test('a disliked item is not recommended to this user, until they do something else with it', async () => {
  const project = await makeProject(caller, { parameters: fixedParameters });
  const { project_id, event_dataset_id } = project;
  const add = (user_id: string, item_id: string, event_type: string, ts: number) =>
    caller.call('upsertDatasetEvents', {
      event_dataset_id,
      events: [{ event_id: `${user_id}-${ts}`, user_id, item_id, event_type, ts }],
    });
  await add('u0', 'i1', 'dislike', 1);
  await caller.call('updateProject', { project_id, negative_event_types: ['dislike'] });
  const model_id = await trainModel(caller, project);
  await deployByJob(caller, project, { generator_model_id: model_id });
  const { training } = await caller.call('getModel', { project_id, model_id });
  expect(training.other_event_types).toMatchObject([{ event_type: 'dislike', active_users: { weight: 0 } }]);
  const listed = async (item: string) => {
    const request = { project_id, user_id: 'reader', limit: 60, exclude_seen: false };
    return idsIn(await caller.call('recommendItemsToUser', request)).includes(item);
  };
  // Known to the model, and added after the training.
  const { item_dataset_id } = project;
  await caller.call('upsertDatasetItems', { item_dataset_id, items: [{ item_id: 'fresh' }] });
  for (const item of ['i4', 'fresh']) {
    expect(await listed(item)).toBe(true);
    await add('reader', item, 'dislike', 1_750_000_000_000 + item.length);
    expect(await listed(item)).toBe(false);
  }
  const ranked = await caller.call('rankItemsForUser', {
    project_id,
    user_id: 'reader',
    item_ids: ['i4', 'i6'],
  });
  expect(ranked.results).toHaveLength(2);
  for (const item of ['i4', 'fresh']) {
    await add('reader', item, 'buy', 1_750_000_000_100 + item.length);
    expect(await listed(item)).toBe(true);
  }
});
