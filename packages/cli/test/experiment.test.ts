import { expect, test } from 'vitest';
import { intervalChart } from '../src/terminal/intervals.ts';
import { oneProject, openWith } from './open-cli.ts';

const none = { difference: null, low: null, high: null };
const measure = { total: 10, rate: 0.1, ...none };
const result = {
  users: 200,
  answers: 300,
  fallbacks: 0,
  measured_users: 150,
  clicked: measure,
  converted: measure,
  target_events: measure,
  value: measure,
};
const experiment = {
  project_id: 'prj_1',
  experiment_id: 'exp_1',
  name: 'models',
  scenario: 'home',
  variants: ['control', 'new'].map((name) => ({ name, share: 0.5 })),
  metric: 'CONVERTED',
  window_hours: 24,
  state: 'RUNNING',
  created_ts: 1_767_607_200_000,
  verdict: 'VARIANT_BETTER',
  winner: 'new',
  message: 'It is better.',
  sample_ratio: { p_value: 1, is_mismatch: false },
  results: [
    { name: 'control', ...result, verdict: 'CONTROL' },
    { name: 'new', ...result, verdict: 'BETTER' },
  ],
  days: [
    {
      day: '2026-01-06',
      variants: [
        { name: 'control', users: 200, measured_users: 150, rate: 0.1, ...none },
        { name: 'new', users: 200, measured_users: 150, rate: 0.2, difference: 0.1, low: 0.05, high: 0.15 },
      ],
    },
  ],
};

test('experiment creates, lists, shows and stops an experiment', async () => {
  const { cli, requests } = await openWith(() => experiment, {
    ...oneProject,
    '/list-experiments': { experiments: [experiment] },
    '/get-experiment': experiment,
  });
  const variants = ['--variant', 'control', '--variant', 'new,model=mdl_1,ranker=mdl_2,version=3,share=0.5'];
  const options = ['--scenario', 'home', '--metric', 'VALUE', '--window-hours', '6'];
  const created = await cli.run(['experiment', 'create', 'models', ...variants, ...options]);
  expect(created.code).toBe(0);
  expect(created.stdout).toContain('exp_1');
  const listed = await cli.run(['experiment']);
  for (const word of ['exp_1', 'models', 'home', 'VARIANT_BETTER', 'new'])
    expect(listed.stdout).toContain(word);
  const shown = await cli.run(['experiment', 'show', 'exp_1']);
  for (const word of ['It is better.', '10.00%', 'BETTER', '2026-01-06 new', '●'])
    expect(shown.stdout).toContain(word);
  expect((await cli.run(['experiment', 'stop', 'exp_1'])).code).not.toBe(0);
  expect((await cli.run(['experiment', 'stop', 'exp_1', '--promote', 'new', '--yes'])).code).toBe(0);
  const variant = { model_id: 'mdl_1', ranker_model_id: 'mdl_2', scenario_version: 3, share: 0.5 };
  expect(requests).toEqual([
    [
      '/create-experiment',
      {
        project_id: 'prj_1',
        name: 'models',
        scenario: 'home',
        variants: [{ name: 'control' }, { name: 'new', ...variant }],
        metric: 'VALUE',
        window_hours: 6,
      },
    ],
    ['/stop-experiment', { project_id: 'prj_1', experiment_id: 'exp_1', promote: 'new' }],
  ]);
  for (const wrong of ['model=mdl_1', 'new,color=red', 'new,share=half'])
    expect((await cli.run(['experiment', 'create', 'x', '--variant', wrong])).code).toBe(2);
});

test('an interval chart has one scale with 0 in the middle', () => {
  const [wide, narrow] = intervalChart([
    { label: 'a', low: -2, value: 0.5, high: 1 },
    { label: 'bb', low: 0.5, value: 0.75, high: 1 },
  ]).split('\n');
  expect([wide?.indexOf('─'), wide?.indexOf('┼'), wide?.indexOf('●')]).toEqual([4, 24, 29]);
  expect([narrow?.indexOf('│'), narrow?.indexOf('─')]).toEqual([24, 29]);
});
