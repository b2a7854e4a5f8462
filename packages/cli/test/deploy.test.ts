import { expect, test } from 'vitest';
import { openWith } from './open-cli.ts';

const deployment = {
  generator_model_id: 'mdl_1',
  ranker_model_id: null,
  qps: 5,
  deployed_ts: 1,
  previous_model_id: null,
};
const project = { project_id: 'prj_1', name: 'p', deployment };
const model = { project_id: 'prj_1', model_id: 'mdl_2', name: 'm' };
const refused = {
  verdict: 'REFUSED',
  compared_with: { generator_model_id: 'mdl_1', ranker_model_id: null },
  since_ts: 1,
  users: 1000,
  deployed_ndcg_at_20: 0.2,
  candidate_ndcg_at_20: 0.1,
  loss: { value: 0.5, low: 0.4, high: 0.6 },
};
const job = {
  project_id: 'prj_1',
  job_id: 'job_1',
  job_type: 'DEPLOYMENT',
  job_status: 'SUCCEED',
  job_result: { serving_uri: 'http://x', deployed: false, guard: refused },
};

test('deploy --guard sends the guard, and fails with the figures if the model is refused', async () => {
  const { cli, requests } = await openWith(() => ({ job_id: 'job_1' }), {
    '/list-projects': { projects: [project] },
    '/get-project': project,
    '/list-models': { models: [model] },
    '/get-model': model,
    '/get-job': job,
  });
  const result = await cli.run(['deploy', '--guard', '--json']);
  expect(result.code).toBe(1);
  expect(JSON.parse(result.stdout)).toMatchObject({ job_result: { deployed: false } });
  await cli.run(['deploy', '--guard', '0.05', '--refuse-undecided']);
  expect(requests).toMatchObject([
    ['/submit-deployment-job', { generator_model_id: 'mdl_2', guard: { max_loss: 0.01 } }],
    ['/submit-deployment-job', { guard: { max_loss: 0.05, when_undecided: 'REFUSE' } }],
  ]);
  const shown = await cli.run(['deploy', '--guard']);
  for (const word of ['50.0 %', '40.0 %', '60.0 %', '1000']) expect(shown.stdout).toContain(word);
  expect((await cli.run(['deploy', '--refuse-undecided'])).code).toBe(2);
  expect((await cli.run(['deploy', '--guard', '2'])).code).toBe(2);
});

test('rollback names the model that serves again', async () => {
  const { cli, requests } = await openWith(() => project);
  const { code, stdout } = await cli.run(['rollback']);
  expect(code).toBe(0);
  expect(stdout).toContain('mdl_1');
  expect(requests).toEqual([['/rollback-deployment', { project_id: 'prj_1' }]]);
});
