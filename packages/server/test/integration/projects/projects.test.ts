import type { OperationName } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { connectTo } from '../stack/database.ts';
import { api, caller, invalid, problem, test } from '../stack/stack.ts';

async function newSettings() {
  const { user_dataset_id } = await caller.call('createUserDataset', { name: 'u', num_shards: 1 });
  const { item_dataset_id } = await caller.call('createItemDataset', { name: 'i', num_shards: 1 });
  const { event_dataset_id } = await caller.call('createEventDataset', { name: 'e', num_shards: 1 });
  const settings = {
    name: 'shop',
    project_type: 'RECOMMEND_ITEMS_TO_USER',
    target_event_type: 'buy',
  } as const;
  return { ...settings, user_dataset_id, item_dataset_id, event_dataset_id };
}

describe('a project', () => {
  test('returns its settings, a unique and stable serving_uri, and no deployment', async () => {
    const settings = await newSettings();
    const project = await caller.call('createProject', settings);
    expect(project).toMatchObject({ ...settings, deployment: null });
    expect(project.project_id).toMatch(/^prj_[0-9a-z]{26}$/);
    expect(project.serving_uri).toMatch(new RegExp(`^http://.*/projects/${project.project_id}$`));
    const { project_id } = project;
    expect(await caller.call('getProject', { project_id })).toEqual(project);
    const renamed = { ...project, name: 'store' };
    expect(await caller.call('updateProject', { project_id, name: 'store' })).toEqual(renamed);
    expect(await caller.call('deleteProject', { project_id })).toEqual(renamed);
    expect((await caller.ask('getProject', { project_id })).status).toBe(404);
  });

  test('has negative event types, none by default, and never the target', async () => {
    const settings = await newSettings();
    const { project_id, negative_event_types } = await caller.call('createProject', settings);
    expect(negative_event_types).toEqual([]);
    const types = ['dislike', 'never seen before'];
    const made = await caller.call('createProject', { ...settings, negative_event_types: types });
    expect(made.negative_event_types).toEqual(types);
    const change = { project_id, negative_event_types: types };
    expect(await caller.call('updateProject', change)).toMatchObject(change);
    expect(await caller.call('updateProject', { project_id, name: 'other' })).toMatchObject(change);
    expect(await caller.call('getProject', { project_id })).toMatchObject(change);
    const none = { project_id, negative_event_types: [] };
    expect(await caller.call('updateProject', none)).toMatchObject(none);
    const target = { negative_event_types: ['dislike', settings.target_event_type] };
    for (const answer of [
      await caller.ask('createProject', { ...settings, ...target }),
      await caller.ask('updateProject', { project_id, ...target }),
    ])
      expect(answer).toMatchObject(invalid('negative_event_types[1]'));
  });

  test('names the title and picture of its items, or neither', async () => {
    const settings = await newSettings();
    const none = { title_attribute: null, picture_attribute: null };
    const { project_id, ...made } = await caller.call('createProject', settings);
    expect(made).toMatchObject(none);
    const named = { title_attribute: 'title', picture_attribute: 'cover' };
    expect(await caller.call('createProject', { ...settings, ...named })).toMatchObject(named);
    const change = { project_id, ...named };
    expect(await caller.call('updateProject', change)).toMatchObject(change);
    expect(await caller.call('updateProject', { project_id, name: 'other' })).toMatchObject(change);
    const removed = { project_id, title_attribute: null };
    const left = { ...removed, picture_attribute: 'cover' };
    expect(await caller.call('updateProject', removed)).toMatchObject(left);
    const read = await caller.call('getProject', { project_id });
    expect(read).toMatchObject(left);
    expect(await caller.call('updateProject', read)).toEqual(read);
  });

  test('is listed newest first, page by page', async () => {
    const settings = await newSettings();
    const made: string[] = [];
    for (let index = 0; index < 3; index++)
      made.push((await caller.call('createProject', settings)).project_id);
    const first = await caller.call('listProjects', { page_size: 2 });
    expect(first.projects.map(({ project_id }) => project_id)).toEqual([made[2], made[1]]);
    const second = await caller.call('listProjects', {
      page_size: 1,
      page_token: first.next_page_token ?? '',
    });
    expect(second.projects.map(({ project_id }) => project_id)).toEqual([made[0]]);
  });

  test('is refused with an unknown type, and the error lists the allowed ones', async () => {
    const { status, body } = await caller.ask('createProject', {
      ...(await newSettings()),
      project_type: 'OTHER',
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { path: 'project_type', message: expect.stringContaining('RECOMMEND_ITEMS_TO_USER') as string },
    ]);
  });

  test.each(['user_dataset_id', 'item_dataset_id', 'event_dataset_id'] as const)(
    'is refused with the %s of another kind or another account',
    async (field) => {
      const settings = await newSettings();
      const wrongKind = field === 'user_dataset_id' ? settings.item_dataset_id : settings.user_dataset_id;
      expect((await caller.ask('createProject', { ...settings, [field]: wrongKind })).status).toBe(404);
      const stranger = await api.newCaller();
      expect((await stranger.ask('createProject', settings)).status).toBe(404);
    },
  );

  test('prevents the deletion of its datasets, and the error has its ID and the operation to use', async () => {
    const settings = await newSettings();
    const { project_id } = await caller.call('createProject', settings);
    const { event_dataset_id, item_dataset_id, user_dataset_id } = settings;
    for (const refused of [
      await caller.ask('deleteEventDataset', { event_dataset_id }),
      await caller.ask('deleteItemDataset', { item_dataset_id }),
      await caller.ask('deleteUserDataset', { user_dataset_id }),
    ])
      expect(refused).toMatchObject({
        status: 409,
        body: {
          code: 'DATASET_IN_USE',
          resolve_with: '/delete-project',
          detail: expect.stringContaining(project_id) as string,
        },
      });
    await caller.call('deleteProject', { project_id });
    await caller.call('deleteEventDataset', { event_dataset_id });
  });

  test('is never created on a dataset that is being deleted', async () => {
    for (let round = 0; round < 20; round++) {
      const settings = await newSettings();
      const { event_dataset_id } = settings;
      const [created, deleted] = await Promise.all([
        caller.ask('createProject', settings),
        caller.ask('deleteEventDataset', { event_dataset_id }),
      ]);
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([created.status, deleted.status]);
    }
  });
});

describe('a project that is deleted while a call adds to it', () => {
  const algorithm = { name: 'auto', algorithm_type: 'G1', algorithm_parameters: {} } as const;
  interface Made {
    readonly algorithm_id: string;
    readonly event_dataset_id: string;
  }
  test.each<[OperationName, (made: Made) => object]>([
    ['createAlgorithm', () => algorithm],
    ['createScenario', () => ({ question: 'ITEMS_TO_USER' })],
    ['createSchedule', () => ({ cron: '0 3 * * *', what: { job_type: 'TRAINING' } })],
    ['createExperiment', () => ({ scenario: 'default', variants: [{ name: 'a' }, { name: 'b' }] })],
    ['submitTrainingJob', ({ algorithm_id }) => ({ algorithm_id })],
    ['submitExportJob', ({ event_dataset_id }) => ({ event_dataset_id, format: 'CSV' })],
  ])('is not found by %s', async (name, fieldsOf) => {
    const settings = await newSettings();
    const { project_id } = await caller.call('createProject', settings);
    const { algorithm_id } = await caller.call('createAlgorithm', { project_id, ...algorithm });
    await using deleting = await connectTo(api.databaseUrl);
    await deleting.query('BEGIN');
    await deleting.query('DELETE FROM projects WHERE project_id = $1', [project_id]);
    const answer = caller.ask(name, { project_id, name: 'late', ...fieldsOf({ ...settings, algorithm_id }) });
    const blocked =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(() => api.rows(blocked)).toHaveLength(1);
    await deleting.query('COMMIT');
    expect(await answer).toMatchObject(problem(404, 'NOT_FOUND'));
  });
});

describe('an algorithm', () => {
  test('is created, read, changed and deleted within its project', async () => {
    const { project_id } = await caller.call('createProject', await newSettings());
    const request = { project_id, name: 'auto', algorithm_type: 'G1', algorithm_parameters: {} } as const;
    const algorithm = await caller.call('createAlgorithm', request);
    expect(algorithm).toMatchObject(request);
    const { algorithm_id } = algorithm;
    expect(await caller.call('getAlgorithm', { project_id, algorithm_id })).toEqual(algorithm);
    expect(await caller.call('listAlgorithms', { project_id })).toEqual({
      algorithms: [algorithm],
      message: null,
      next_page_token: null,
    });
    const changed = { ...algorithm, algorithm_parameters: { neighbors: 50, event_weights: { view: 0.3 } } };
    const { algorithm_parameters } = changed;
    expect(await caller.call('updateAlgorithm', { project_id, algorithm_id, algorithm_parameters })).toEqual(
      changed,
    );
    expect(await caller.call('deleteAlgorithm', { project_id, algorithm_id })).toEqual(changed);
    expect((await caller.ask('getAlgorithm', { project_id, algorithm_id })).status).toBe(404);
  });

  test('is not found through another project of the account', async () => {
    const { project_id } = await caller.call('createProject', await newSettings());
    const other = await caller.call('createProject', await newSettings());
    const request = { name: 'auto', algorithm_type: 'G1', algorithm_parameters: {} } as const;
    const { algorithm_id } = await caller.call('createAlgorithm', { project_id, ...request });
    expect((await caller.ask('getAlgorithm', { project_id: other.project_id, algorithm_id })).status).toBe(
      404,
    );
  });

  test('is refused with an unknown parameter, and the error lists the known ones', async () => {
    const { project_id } = await caller.call('createProject', await newSettings());
    const request = { project_id, name: 'a', algorithm_type: 'G1', algorithm_parameters: { lambda: 3 } };
    const { status, body } = await caller.ask('createAlgorithm', request);
    expect(status).toBe(400);
    expect(body.errors[0]?.path).toBe('algorithm_parameters.lambda');
    expect(body.errors[0]?.message).toContain('regularization');
    const other = await caller.ask('createAlgorithm', { ...request, algorithm_type: 'G9' });
    expect(other.body.errors[0]).toEqual({
      path: 'algorithm_type',
      message: expect.stringContaining('G1') as string,
    });
  });
});
