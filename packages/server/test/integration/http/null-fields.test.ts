import { describe, expect } from 'vitest';
import { makeTrained } from '../stack/deployment-cell.ts';
import { api, caller, perFile, test } from '../stack/stack.ts';

const project = perFile(() => makeTrained(caller), test);

describe('null', () => {
  test('means absent in an event, and in the conditions and bins of a query', async () => {
    const { event_dataset_id } = await caller.call('createEventDataset', { name: 'e', num_shards: 1 });
    const event = { event_id: 'e', user_id: 'u', item_id: 'i', ts: 1, event_type: 'buy' };
    const written = await caller.ask('upsertDatasetEvents', {
      event_dataset_id,
      events: [{ ...event, event_value: null, attributes: null }],
    });
    expect(written.body.succeed_ids).toEqual(['e']);
    const [row] = await api.rows<object>(
      'SELECT event_value, attributes FROM events JOIN datasets USING (dataset_key) WHERE dataset_id = $1',
      [event_dataset_id],
    );
    expect(row).toEqual({ event_value: 1, attributes: null });
    const deleted = await caller.ask('deleteDatasetEventsBeforeTs', {
      event_dataset_id,
      ts: 2,
      start_ts: null,
    });
    expect(deleted.status).toBe(200);
    const { project_id, model_id } = project;
    const job = { name: 'q', project_id, model_id };
    const value = { attribute: 'parity', value: '1' };
    const list = await caller.ask('submitQueryingJob', {
      ...job,
      query_type: 'user_list',
      queries: [{ conditions: [{ ...value, lower_bound: null, upper_bound: null }] }],
    });
    const bins = await caller.ask('submitQueryingJob', {
      ...job,
      query_type: 'user_distribution',
      queries: [{ ...value, bins: null }],
    });
    expect([list.status, bins.status]).toEqual([200, 200]);
    const clusters = { ...job, cluster_type: 'user', parameters: null };
    expect((await caller.ask('submitClusteringJob', clusters)).status).toBe(200);
    const algorithm = { project_id, name: 'a', algorithm_type: 'G1', algorithm_parameters: null };
    expect((await caller.ask('createAlgorithm', algorithm)).body.algorithm_parameters).toEqual({});
    const deployment = { ...job, model_id: undefined, generator_model_id: model_id };
    const deployed = await caller.ask('submitDeploymentJob', {
      ...deployment,
      ranker_model_id: null,
      qps: null,
    });
    expect(deployed.status).toBe(200);
  });

  test('has its own meaning where the contract defines one', async () => {
    const { user_dataset_id } = await caller.call('createUserDataset', {
      name: 'u',
      num_shards: 1,
      attribute_schema: { age: 'NUMERICAL' },
    });
    await caller.ask('updateUserDataset', { user_dataset_id, name: null });
    const kept = await caller.call('getUserDataset', { user_dataset_id });
    expect(kept).toMatchObject({ name: 'u', attribute_schema: { age: 'NUMERICAL' } });
    await caller.ask('updateUserDataset', { user_dataset_id, attribute_schema: null });
    expect((await caller.call('getUserDataset', { user_dataset_id })).attribute_schema).toBeNull();
  });
});
