import { expect, onTestFinished, test } from 'vitest';
import { CliRunner, FakeService, type Handler } from './fake-service.ts';

async function open(handler: Handler): Promise<CliRunner> {
  const service = await FakeService.open(handler);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return new CliRunner(service);
}

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
  const requests: unknown[] = [];
  const cli = await open(({ path, body }) => {
    if (path === '/oauth/token') return undefined;
    if (path === '/submit-deployment-job') requests.push(body);
    const bodies: Record<string, unknown> = {
      '/list-projects': { projects: [project], next_page_token: null, message: null },
      '/get-project': project,
      '/list-models': { models: [model], next_page_token: null, message: null },
      '/get-model': model,
      '/submit-deployment-job': { job_id: 'job_1' },
      '/get-job': job,
    };
    return { status: 200, body: bodies[path] };
  });
  const result = await cli.run(['deploy', '--guard', '--json']);
  expect(result.code).toBe(1);
  expect(JSON.parse(result.stdout)).toMatchObject({ job_result: { deployed: false } });
  await cli.run(['deploy', '--guard', '0.05', '--refuse-undecided']);
  expect(requests).toMatchObject([
    { generator_model_id: 'mdl_2', guard: { max_loss: 0.01 } },
    { guard: { max_loss: 0.05, when_undecided: 'REFUSE' } },
  ]);
  const shown = await cli.run(['deploy', '--guard']);
  for (const word of ['50.0 %', '40.0 %', '60.0 %', '1000']) expect(shown.stdout).toContain(word);
  expect((await cli.run(['deploy', '--refuse-undecided'])).code).toBe(2);
  expect((await cli.run(['deploy', '--guard', '2'])).code).toBe(2);
});

test('rollback names the model that serves again', async () => {
  const cli = await open(({ path }) => {
    if (path === '/oauth/token') return undefined;
    if (path === '/list-projects')
      return { status: 200, body: { projects: [project], next_page_token: null, message: null } };
    return { status: path === '/rollback-deployment' ? 200 : 404, body: project };
  });
  const { code, stdout } = await cli.run(['rollback']);
  expect(code).toBe(0);
  expect(stdout).toContain('mdl_1');
});
