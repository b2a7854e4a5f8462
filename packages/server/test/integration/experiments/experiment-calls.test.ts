import type { Request } from '@tastegraph/contract';
import { describe, expect } from 'vitest';
import { linesOf } from '../stack/analysed-project.ts';
import { copyModel, deploy, makeTrained, objectOf } from '../stack/deployment-cell.ts';
import { api, caller, perFile, test } from '../stack/stack.ts';
import { waitForJob } from '../stack/training.ts';

let other: string;

const project = perFile(() => makeTrained(caller), test);

test.beforeAll(async () => {
  other = await copyModel(api, project.model_id);
  const { project_id, model_id } = project;
  await deploy(caller, { project_id }, { generator_model_id: model_id, qps: 10_000 });
  await caller.call('createScenario', { project_id, name: 'home', question: 'ITEMS_TO_USER', limit: 1 });
  await caller.call('updateScenario', { project_id, name: 'home', limit: 2 });
});

type Variants = Request<'createExperiment'>['variants'];

async function start(scenario: string, variants: Variants): Promise<string> {
  const { project_id } = project;
  const sent = { project_id, name: 'x', scenario, variants };
  return (await caller.call('createExperiment', sent)).experiment_id;
}
const stop = (experiment_id: string, promote?: string) => {
  const sent = { project_id: project.project_id, experiment_id };
  return caller.call('stopExperiment', promote === undefined ? sent : { ...sent, promote });
};
const recommend = (sent: Partial<Request<'recommendItemsToUser'>>) =>
  caller.call('recommendItemsToUser', { project_id: project.project_id, ...sent });
const given = async (recommendation_id: string) => {
  const { project_id } = project;
  const read = async () => (await caller.ask('getRecommendation', { project_id, recommendation_id })).status;
  await expect.poll(read, { timeout: 50_000 }).toBe(200);
  return caller.call('getRecommendation', { project_id, recommendation_id });
};
/** The exposures of an experiment. */
async function exportOf(experiment_id: string, format: 'NDJSON'): Promise<Record<string, unknown>[]> {
  const { project_id } = project;
  const { job_id } = await caller.call('submitExportJob', { project_id, name: 'x', experiment_id, format });
  const { job_result } = await waitForJob(caller, project_id, job_id);
  return linesOf(caller, job_result as Parameters<typeof linesOf>[1]);
}
const users = Array.from({ length: 40 }, (_, n) => `visitor ${n}`);

describe('a call of a scenario with an experiment', () => {
  test('always gives a user the same variant: its model, its settings, its name in the answer and in the log', async () => {
    const experiment_id = await start('home', [
      { name: 'one item', scenario_version: 1 },
      { name: 'other model', model_id: other },
    ]);
    const counts = new Map<string, number>();
    for (const user_id of users) {
      const answer = await recommend({ scenario: 'home', user_id });
      expect((await recommend({ scenario: 'home', user_id })).experiment).toEqual(answer.experiment);
      const variant = answer.experiment?.variant ?? '';
      counts.set(variant, (counts.get(variant) ?? 0) + 1);
      expect([answer.experiment?.experiment_id, answer.limit, answer.degraded]).toEqual([
        experiment_id,
        variant === 'one item' ? 1 : 2,
        [],
      ]);
      if (counts.get(variant) !== 1) continue;
      expect(await given(answer.recommendation_id)).toMatchObject({
        experiment_id,
        variant,
        scenario: 'home',
        scenario_version: variant === 'one item' ? 1 : 2,
        generator_model_id: variant === 'one item' ? project.model_id : other,
      });
    }
    expect([...counts.keys()].toSorted()).toEqual(['one item', 'other model']);
    // Once a worker has sorted the log.
    const exported = () => exportOf(experiment_id, 'NDJSON');
    await expect.poll(async () => (await exported()).length, { timeout: 50_000 }).toBe(users.length);
    const rows = await exported();
    expect(rows.map(({ user_id }) => user_id).toSorted()).toEqual(users.toSorted());
    for (const { variation_id, variation_name, timestamp, ...row } of rows) {
      const { experiment } = await recommend({ scenario: 'home', user_id: String(row['user_id']) });
      expect([variation_id, variation_name]).toEqual(
        experiment?.variant === 'one item' ? ['0', 'one item'] : ['1', 'other model'],
      );
      expect(row['experiment_id']).toBe(experiment_id);
      expect(Math.abs(Date.now() - Date.parse(String(timestamp)))).toBeLessThan(600_000);
    }
    // Fields of the call override those of the variant too.
    const own = await recommend({ scenario: 'home', user_id: users[0] ?? '', limit: 3 });
    expect(own.limit).toBe(3);
    // Other scenarios, visitors without an ID and calls that name a model are not part of it.
    for (const call of [
      { user_id: 'u1' },
      { scenario: 'home', context_items: ['i1'] },
      { scenario: 'home', user_id: 'u1', model_id: other },
    ])
      expect((await recommend(call)).experiment).toBeUndefined();
    await stop(experiment_id, 'one item');
    const after = await recommend({ scenario: 'home', user_id: users[0] ?? '' });
    expect([after.experiment, after.limit]).toEqual([undefined, 1]);
  });

  test('without a scenario is part of the experiment of `default`, and users beyond the shares are not', async () => {
    const experiment_id = await start('default', [
      { name: 'a', share: 0.25 },
      { name: 'b', share: 0.25, model_id: other },
    ]);
    const variants = new Set<string | undefined>();
    for (const user_id of users) {
      const answer = await recommend({ user_id });
      variants.add(answer.experiment?.variant);
      if (answer.experiment) expect(answer.experiment.experiment_id).toBe(experiment_id);
    }
    expect(variants).toEqual(new Set(['a', 'b', undefined]));
    const item_ids = ['i1', 'i2'];
    const ranked = new Set<string | undefined>();
    for (const user_id of users) {
      const { experiment } = await caller.call('rankItemsForUser', {
        project_id: project.project_id,
        user_id,
        item_ids,
      });
      ranked.add(experiment?.variant);
    }
    expect(ranked).toEqual(variants);
    await stop(experiment_id);
    expect((await recommend({ user_id: users[0] ?? '' })).experiment).toBeUndefined();
  });

  test('is answered by the deployed model if that of the variant cannot be loaded, and says so', async () => {
    const broken = await copyModel(api, project.model_id);
    await api.store.delete((await objectOf(api, broken)).object_key);
    const experiment_id = await start('default', [
      { name: 'a', share: 0.01 },
      { name: 'b', share: 0.99, model_id: broken },
    ]);
    const answer = await recommend({ user_id: 'visitor 1' });
    expect(answer).toMatchObject({ experiment: { experiment_id, variant: 'b' }, degraded: ['variant'] });
    expect(await given(answer.recommendation_id)).toMatchObject({
      variant: 'b',
      degraded: ['variant'],
      generator_model_id: project.model_id,
    });
    await stop(experiment_id);
  });
});
