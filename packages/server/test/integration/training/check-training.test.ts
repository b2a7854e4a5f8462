import type { EventRecord, Response } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { withoutIds } from '../stack/caller.ts';
import { select, storeFutureEvents } from '../stack/kinds.ts';
import { api, caller, problem, test } from '../stack/stack.ts';
import { createAlgorithm } from '../stack/training.ts';
import { type CheckedData, eventOf, itemsUpTo, makeCheckedProject, soundEvents } from './checked-project.ts';

type Check = Response<'checkTraining'>;

async function check(data: CheckedData): Promise<Check> {
  const { project_id } = await makeCheckedProject(caller, data);
  return caller.call('checkTraining', { project_id });
}

const createG1 = (project_id: string, parameters: object = {}) =>
  createAlgorithm(caller, project_id, 'G1', parameters);

const sound = (): CheckedData => ({ events: soundEvents(), items: itemsUpTo(30) });
const found = ({ findings }: Check) => findings.map(({ severity, code }) => `${severity} ${code}`);
const messageOf = ({ findings }: Check, code: string) =>
  findings.find((finding) => finding.code === code)?.message ?? '';

test('good data can be trained on and has no findings', async () => {
  const answer = await check(sound());
  expect(answer).toMatchObject({ can_train: true, sampled: false, findings: [] });
});

test('the counts equal those of counting one by one', async () => {
  const pick = (n: number, below: number) => (((n * 2_654_435_761) % 4_294_967_296) >>> 8) % below;
  const events = Array.from({ length: 2500 }, (_, n): EventRecord => {
    const type = ['buy', 'view', 'view', 'cart'][pick(n + 3, 4)] ?? 'view';
    return eventOf(n, pick(n, 50) ** 2, pick(n + 1, 25) ** 2, type);
  });
  const items = itemsUpTo(200);
  const users = Array.from({ length: 17 }, (_, n) => ({ user_id: `u${n}` }));
  const answer = await check({ events, items, users });

  const counted = (key: (event: EventRecord) => string) => {
    const counts = new Map<string, number>();
    for (const event of events) counts.set(key(event), (counts.get(key(event)) ?? 0) + 1);
    return counts;
  };
  const ofUser = counted((event) => event.user_id);
  const ofItem = counted((event) => event.item_id);
  const known = new Set(items.map(({ item_id }) => item_id));
  expect(answer.counts).toEqual({
    events: 2500,
    target_events: events.filter(({ event_type }) => event_type === 'buy').length,
    users: ofUser.size,
    users_with_one_event: [...ofUser.values()].filter((count) => count === 1).length,
    items: ofItem.size,
    items_without_record: [...ofItem.keys()].filter((id) => !known.has(id)).length,
    user_records: 17,
    item_records: 200,
  });
  const types = [...counted((event) => event.event_type)].toSorted(([, a], [, b]) => b - a);
  expect(answer.event_types).toEqual(
    types.map(([event_type, count]) => ({ event_type, count, is_target: event_type === 'buy' })),
  );
  expect(answer).toMatchObject({ first_ts: events[0]?.ts, last_ts: events.at(-1)?.ts });
});

describe('a problem is reported with its numbers and what to do:', () => {
  test('no data at all', async () => {
    const answer = await check({});
    expect(found(answer)).toEqual(['ERROR NO_EVENTS', 'ERROR NO_ITEM_RECORDS']);
    expect(answer).toMatchObject({ can_train: false, event_types: [], first_ts: null, last_ts: null });
    expect(messageOf(answer, 'NO_EVENTS')).toContain('/upsert-dataset-events');
  });

  test('a target type that no event has, with the most similar type', async () => {
    const answer = await check({ ...sound(), target: 'Buys' });
    expect(found(answer)).toEqual(['ERROR NO_TARGET_EVENTS']);
    expect(answer.can_train).toBe(false);
    expect(messageOf(answer, 'NO_TARGET_EVENTS')).toMatch(/\b1,200\b.*"Buys".*"buy"\?/);
    const far = await check({ ...sound(), target: 'subscription' });
    expect(messageOf(far, 'NO_TARGET_EVENTS')).not.toContain('"buy"?');
    expect(messageOf(far, 'NO_TARGET_EVENTS')).toContain('"buy"');
  });

  test('target events of only one user or item', async () => {
    const views = Array.from({ length: 50 }, (_, n) => eventOf(1000 + n, n % 5, n % 7, 'view'));
    const oneUser = [0, 1, 2].map((n) => eventOf(n, 1, n));
    const oneItem = [0, 1, 2].map((n) => eventOf(n, n, 1));
    for (const events of [oneUser, oneItem]) {
      const answer = await check({ events: [...events, ...views], items: itemsUpTo(10) });
      expect(found(answer)).toEqual(['ERROR TOO_LITTLE_DATA']);
      expect(messageOf(answer, 'TOO_LITTLE_DATA')).toMatch(/\b1 user and 3 items\b|\b3 users and 1 item\b/);
    }
  });

  test('few target events, or few users with target events', async () => {
    const few = await check({ ...sound(), events: soundEvents().slice(0, 999) });
    expect(found(few)).toEqual(['WARNING THIN_DATA']);
    expect(few.can_train).toBe(true);
    expect(messageOf(few, 'THIN_DATA')).toMatch(/\b999 events\b.*"buy".*\b100 users\b/);
    const events = Array.from({ length: 1200 }, (_, n) => eventOf(n, n % 49, n % 30));
    expect(found(await check({ events, items: itemsUpTo(30) }))).toEqual(['WARNING THIN_DATA']);
  });

  test('no item records, or none of the items in events, or many items without a record', async () => {
    const none = await check({ events: soundEvents() });
    expect(found(none)).toEqual(['ERROR NO_ITEM_RECORDS']);
    const others = await check({ events: soundEvents(), items: [{ item_id: 'I1' }, { item_id: 'I2' }] });
    expect(found(others)).toEqual(['ERROR ITEMS_WITHOUT_RECORD']);
    expect(messageOf(others, 'ITEMS_WITHOUT_RECORD')).toMatch(/\b30 items\b.*\b2 item records\b/);
    const many = await check({ events: soundEvents(), items: itemsUpTo(24) });
    expect(found(many)).toEqual(['WARNING ITEMS_WITHOUT_RECORD']);
    expect(messageOf(many, 'ITEMS_WITHOUT_RECORD')).toContain('6 (20 %)');
    expect(found(await check({ events: soundEvents(), items: itemsUpTo(27) }))).toEqual([]);
  });

  test('most users with a single event', async () => {
    const passing = Array.from({ length: 150 }, (_, n) => eventOf(5000 + n, 1000 + n, n % 30));
    const answer = await check({ ...sound(), events: [...soundEvents(), ...passing] });
    expect(found(answer)).toEqual(['WARNING USERS_WITH_ONE_EVENT']);
    expect(messageOf(answer, 'USERS_WITH_ONE_EVENT')).toMatch(/\b60 %.*\b150 of 250 users\b/);
  });

  test('times in seconds, or all events at one time', async () => {
    const inSeconds = soundEvents().map((event) => ({ ...event, ts: Math.floor(event.ts / 1000) }));
    const seconds = await check({ ...sound(), events: inSeconds });
    expect(found(seconds)).toEqual(['WARNING TIMES_IN_SECONDS']);
    expect(messageOf(seconds, 'TIMES_IN_SECONDS')).toMatch(/\b1970-01-20\b.*\b2024-01-03\b/);
    const atOnce = await check({ ...sound(), events: soundEvents().map((event) => ({ ...event, ts: 5 })) });
    expect(found(atOnce)).toEqual(['INFO ALL_AT_ONE_TIME']);
    expect(atOnce).toMatchObject({ can_train: true, first_ts: 5, last_ts: 5 });
  });

  test('events of the future, which nothing else counts', async () => {
    const { project_id, event_dataset_id } = await makeCheckedProject(caller, sound());
    const before = await caller.call('checkTraining', { project_id });
    await storeFutureEvents(api, event_dataset_id, { user_id: 'far', item_id: 'far', count: 12 });
    const { findings, ...after } = await caller.call('checkTraining', { project_id });
    expect({ ...after, findings: [] }).toEqual(before);
    expect(findings).toMatchObject([{ severity: 'WARNING', code: 'TIMES_IN_FUTURE' }]);
    expect(findings[0]?.message).toMatch(/^12 events are /);
    const [, start_ts, ts] = /start_ts (\d+) and ts (\d+)/.exec(findings[0]?.message ?? '') ?? [];
    const range = { event_dataset_id, start_ts: Number(start_ts), ts: Number(ts) };
    await caller.call('deleteDatasetEventsBeforeTs', range);
    expect(await caller.call('checkTraining', { project_id })).toEqual(before);
  });

  test('too many event types, of which the most frequent are listed', async () => {
    const visits = Array.from({ length: 150 }, (_, n) =>
      eventOf(5000 + n, n % 100, n % 30, `visit ${n % 120}`),
    );
    const answer = await check({ ...sound(), events: [...soundEvents(), ...visits] });
    expect(found(answer)).toEqual(['WARNING MANY_EVENT_TYPES']);
    expect(answer.event_types).toHaveLength(100);
    expect(answer.event_types[0]).toEqual({ event_type: 'buy', count: 1200, is_target: true });
    expect(messageOf(answer, 'MANY_EVENT_TYPES')).toMatch(/\b121 event types\b.*"buy", "visit 0"/);
  });

  test('target events that are rare compared with another type', async () => {
    const views = Array.from({ length: 1500 }, (_, n) => eventOf(5000 + n, n % 100, n % 30, 'view'));
    const events = [...[0, 1, 2].map((n) => eventOf(n, n, n)), ...views];
    const answer = await check({ events, items: itemsUpTo(30) });
    expect(found(answer)).toEqual(['WARNING THIN_DATA', 'INFO RARE_TARGET_EVENTS']);
    expect(messageOf(answer, 'RARE_TARGET_EVENTS')).toMatch(/\b3 \(0\.2 %\).*"buy".*\b100 %.*"view"/);
  });

  test('attributes whose values are unique, except numbers and free text', async () => {
    const attributes = (n: number) => ({
      title: `T${n}`,
      genres: [`g${n % 3}`, `g${n % 5}`],
      price: n / 7,
      plot: `P${n}`,
      sku: `S${n}`,
    });
    const items = itemsUpTo(30).map((item, n) => ({ ...item, attributes: attributes(n) }));
    const users = Array.from({ length: 40 }, (_, n) => ({
      user_id: `u${n}`,
      attributes: { mail: `m${n}`, country: 'x' },
    }));
    const answer = await check({ events: soundEvents(), items, users, itemSchema: { plot: 'TEXT' } });
    expect(found(answer)).toEqual(['INFO UNSHARED_ATTRIBUTE_VALUES', 'INFO UNSHARED_ATTRIBUTE_VALUES']);
    const [ofItems, ofUsers] = answer.findings.map(({ message }) => message);
    expect(ofItems).toMatch(/"sku" and "title".*"sku": 30 of 30 values\b/);
    expect(ofUsers).toContain('"mail"');
  });

  test('the attribute that the project names as title is not reported', async () => {
    const items = itemsUpTo(30).map((item, n) => ({ ...item, attributes: { title: `T${n}`, sku: `S${n}` } }));
    const { project_id } = await makeCheckedProject(caller, { events: soundEvents(), items });
    await caller.call('updateProject', { project_id, title_attribute: 'title' });
    const answer = await caller.call('checkTraining', { project_id });
    expect(messageOf(answer, 'UNSHARED_ATTRIBUTE_VALUES')).toContain('"sku"');
    expect(messageOf(answer, 'UNSHARED_ATTRIBUTE_VALUES')).not.toContain('"title"');
  });

  test('weights for event types without events', async () => {
    const { project_id } = await makeCheckedProject(caller, sound());
    const algorithm_id = await createG1(project_id, { event_weights: { buy: 1, veiw: 0.5 } });
    const answer = await caller.call('checkTraining', { project_id, algorithm_id });
    expect(found(answer)).toEqual(['WARNING UNKNOWN_EVENT_WEIGHTS']);
    expect(messageOf(answer, 'UNKNOWN_EVENT_WEIGHTS')).toMatch(/"veiw".*"buy"/);
  });
});

describe('the estimate', () => {
  const allGiven = {
    neighbors: 10,
    regularization: 1,
    popularity_regularization: 1,
    activity_exponent: 0.3,
    event_weights: { buy: 1 },
    attribute_weight: 0,
  };

  test('grows with the events, and is lower if no parameter is searched', async () => {
    const small = await check(sound());
    const { project_id, event_dataset_id } = await makeCheckedProject(caller, { items: itemsUpTo(30) });
    await addEvents(event_dataset_id, 60_000);
    const searched = (await caller.call('checkTraining', { project_id })).estimate;
    const algorithm_id = await createG1(project_id, allGiven);
    const given = (await caller.call('checkTraining', { project_id, algorithm_id })).estimate;
    expect(searched.seconds).toBeGreaterThan(small.estimate.seconds);
    expect(searched.memory_bytes).toBeGreaterThan(small.estimate.memory_bytes);
    expect(given.seconds).toBeLessThan(searched.seconds);
    expect(given.memory_bytes).toBeLessThan(searched.memory_bytes);
    expect(searched.basis).not.toContain('mdl_');
  });

  test("is scaled from the project's latest model, and from no other project's", async () => {
    const [one, other] = [
      await makeCheckedProject(caller, sound()),
      await makeCheckedProject(caller, sound()),
    ];
    await addModel(one.project_id, 'mdl_old', { events: 10, fit: 1000 });
    await addModel(one.project_id, 'mdl_new', { events: 600, fit: 40 });
    const { estimate } = await caller.call('checkTraining', { project_id: one.project_id });
    // Twice the events: 2 x (1 read + 9 search + 40 fit + 2 write).
    expect(estimate.seconds).toBe(104);
    expect(estimate.basis).toMatch(/\bmdl_new\b.*\b600 events\b/);
    const algorithm_id = await createG1(one.project_id, allGiven);
    const given = await caller.call('checkTraining', { project_id: one.project_id, algorithm_id });
    // Without a search, one fit measures the model instead.
    expect(given.estimate.seconds).toBe(166);
    const { estimate: unrelated } = await caller.call('checkTraining', { project_id: other.project_id });
    expect(unrelated.basis).not.toContain('mdl_');
  });
});

test("another account's project, and an algorithm of another project, are not found", async () => {
  const { project_id } = await makeCheckedProject(caller, sound());
  const another = await makeCheckedProject(caller, sound());
  const algorithm_id = await createG1(another.project_id);
  expect(await caller.ask('checkTraining', { project_id, algorithm_id })).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND', detail: expect.stringContaining(algorithm_id) as string },
  });
  const stranger = await api.newCaller();
  const foreign = await stranger.ask('checkTraining', { project_id });
  const missing = await stranger.ask('checkTraining', { project_id: 'prj_00000000000000000000000000' });
  expect(foreign).toMatchObject(problem(404, 'NOT_FOUND'));
  expect(withoutIds(foreign.body)).toEqual(withoutIds(missing.body));
  const own = await makeCheckedProject(stranger, sound());
  const theirs = { project_id: own.project_id, algorithm_id };
  expect(await stranger.ask('checkTraining', theirs)).toMatchObject({ status: 404 });
});

async function addEvents(datasetId: string, count: number): Promise<void> {
  const text = `INSERT INTO events SELECT dataset_key, 'x' || n, 'u' || n % 500, 'i' || n % 30, n, 'buy', 1
    FROM datasets, generate_series(1, $2) n WHERE dataset_id = $1`;
  await select(api.db, text, [datasetId, count]);
}

async function addModel(
  projectId: string,
  modelId: string,
  { events, fit }: { events: number; fit: number },
) {
  const training = { data: { events }, seconds: { read: 1, search: 9, fit, write: 2 } };
  const text = `WITH job AS (
      INSERT INTO jobs (job_id, account_id, project_key, job_type, name, job_data, job_status, turn)
      SELECT 'job_of_' || $2::text, account_id, project_key, 'TRAINING', 'x', '{}', 'SUCCEED', 0
      FROM projects WHERE project_id = $1 RETURNING *)
    INSERT INTO models (model_id, project_key, job_key, name, algorithm_type, algorithm_parameters, training,
      object_key, object_size, object_sha256)
    SELECT $2::text, project_key, job_key, 'x', 'G1', '{}', $3, '', 0, '' FROM job`;
  await select(api.db, text, [projectId, modelId, training]);
}
