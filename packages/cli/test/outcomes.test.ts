import { expect, onTestFinished, test } from 'vitest';
import { CliRunner, FakeService } from './fake-service.ts';

const measure = (total: number, rate: number | null) => ({
  total,
  rate,
  low: rate === null ? null : rate / 2,
  high: rate === null ? null : rate * 2,
});
const outcome = {
  scenario: 'home',
  model_id: 'mdl_1',
  variant: null,
  answers: 200,
  clicked: measure(40, 0.2),
  converted: measure(8, 0.04),
  target_events: measure(9, 0.045),
  value: measure(120.5, 0.6025),
};
const organic = {
  visits: 321,
  converted: measure(0, null),
  target_events: measure(0, null),
  value: measure(0, null),
};
const outcomes = {
  project_id: 'prj_1',
  attribution_hours: 24,
  attributed_ts: 1,
  days: [{ day: '2026-01-05', ...outcome }],
  totals: [outcome],
  without_recommendation: { days: [], total: organic },
};

test('outcomes shows what followed the responses, in total or by day, beside what happened without them', async () => {
  const requests: unknown[] = [];
  const service = await FakeService.open(({ path, body }) => {
    const projects = [{ project_id: 'prj_1', name: 'p' }];
    if (path === '/list-projects')
      return { status: 200, body: { projects, next_page_token: null, message: null } };
    if (path !== '/get-outcomes') return undefined;
    requests.push(body);
    return { status: 200, body: outcomes };
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const cli = new CliRunner(service);
  const total = await cli.run(['outcomes', '--scenario', 'home']);
  expect(total.code).toBe(0);
  for (const figure of ['home', 'mdl_1', '200', '20.00%', '10.00%', '40.00%', '4.00%', '120.5', '321'])
    expect(total.stdout).toContain(figure);
  expect(total.stdout).not.toContain('2026-01-05');
  expect((await cli.run(['outcomes', '--days'])).stdout).toContain('2026-01-05');
  const json = await cli.run(['outcomes', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ totals: [{ clicked: { rate: 0.2 } }] });
  expect(requests).toEqual([
    { project_id: 'prj_1', scenario: 'home' },
    { project_id: 'prj_1' },
    { project_id: 'prj_1' },
  ]);
});
