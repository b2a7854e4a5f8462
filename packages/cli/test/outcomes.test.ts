import { expect, test } from 'vitest';
import { notFound } from './fake-service.ts';
import { oneProject, open, openWith } from './open-cli.ts';

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
const visitsOf = (visits: number, rate: number | null) => ({
  visits,
  converted: measure(0, rate),
  target_events: measure(0, rate),
  value: measure(0, rate),
});
const outcomes = {
  project_id: 'prj_1',
  attribution_hours: 24,
  attributed_ts: 1,
  days: [{ day: '2026-01-05', ...outcome }],
  totals: [outcome],
  with_recommendation: { days: [], total: visitsOf(123, 0.25) },
  without_recommendation: { days: [], total: visitsOf(321, null) },
};

test('outcomes shows what followed the responses, in total or by day, beside what happened without them', async () => {
  const model = { model_id: 'mdl_1', name: 'nightly' };
  const { cli, requests } = await openWith(() => outcomes, { ...oneProject, '/get-model': model });
  const total = await cli.run(['outcomes', '--scenario', 'home']);
  expect(total.code).toBe(0);
  for (const figure of ['home', 'nightly', '200', '20.00%', '10.00%', '40.00%', '4.00%', '120.5', '321'])
    expect(total.stdout).toContain(figure);
  expect(total.stdout).not.toContain('2026-01-05');
  // Responses and visits have tables of their own, each with its unit.
  const heads = total.stdout
    .split('\n')
    .filter((line) => /responses|visits/.test(line) && line.includes('converted'));
  expect(heads.map((line) => [/responses/.test(line), /visits .*per visit .*per visit/.test(line)])).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(total.stdout).toMatch(/after a recommendation +123 +25\.00% .* 0\.250 +0\.250/);
  expect(total.stdout).toMatch(/without a recommendation +321/);
  expect((await cli.run(['outcomes', '--days'])).stdout).toContain('2026-01-05');
  const json = await cli.run(['outcomes', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ totals: [{ clicked: { rate: 0.2 } }] });
  expect(requests).toEqual([
    ['/get-outcomes', { project_id: 'prj_1', scenario: 'home' }],
    ['/get-outcomes', { project_id: 'prj_1' }],
    ['/get-outcomes', { project_id: 'prj_1' }],
  ]);
});

test('outcomes shows the ID of a model that was deleted', async () => {
  const known: Record<string, object> = { '/get-outcomes': outcomes, ...oneProject };
  const { cli } = await open(({ path }) => {
    if (path === '/oauth/token') return undefined;
    const body = known[path];
    return body ? { status: 200, body: { next_page_token: null, ...body } } : notFound;
  });
  expect((await cli.run(['outcomes'])).stdout).toContain('mdl_1');
});
