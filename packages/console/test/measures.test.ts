import { expect, test } from 'vitest';
import {
  dailySeries,
  pool,
  withoutRecommendation,
  withRecommendation,
} from '../src/screens/outcomes/measures.ts';
import type { Outcomes } from '../src/screens/outcomes/use-outcomes.ts';

const measure = (total: number, count: number, width = 0.1) => ({
  total,
  rate: total / count,
  low: total / count - width,
  high: total / count + width,
});
const none = { total: 0, rate: null, low: null, high: null };

const day = (date: string, model_id: string, clicks: number, answers: number) => ({
  day: date,
  scenario: 'home',
  model_id,
  experiment_id: null,
  variant: null,
  answers,
  clicked: measure(clicks, answers),
  converted: none,
  target_events: none,
  value: none,
});

const visitsOf = (date: string, visits: number) => ({
  day: date,
  visits,
  converted: visits > 0 ? measure(1, visits) : none,
  target_events: none,
  value: none,
});

const outcomes: Outcomes = {
  project_id: 'prj',
  attribution_hours: 24,
  attributed_ts: 0,
  days: [
    day('2026-01-04', 'new', 30, 100),
    day('2026-01-04', 'old', 10, 100),
    day('2026-01-01', 'old', 5, 10),
  ],
  totals: [],
  with_recommendation: {
    days: [visitsOf('2026-01-04', 4)],
    total: { visits: 4, converted: none, target_events: none, value: none },
  },
  without_recommendation: {
    days: [visitsOf('2026-01-05', 0), visitsOf('2026-01-02', 10)],
    total: { visits: 10, converted: none, target_events: none, value: none },
  },
};

test('groups of responses are pooled by their size, with an interval that is narrower than that of each', () => {
  const pooled = pool([
    { measure: measure(30, 100), count: 100 },
    { measure: measure(10, 100), count: 100 },
  ]);
  expect(pooled?.value).toBeCloseTo(0.2);
  expect(pooled?.low).toBeCloseTo(0.2 - Math.SQRT2 * 0.05);
  expect(pooled?.high).toBeCloseTo(0.2 + Math.SQRT2 * 0.05);
  expect(pool([{ measure: none, count: 0 }])).toBeNull();
});

test('a line has a value per day from the first to the last day on which something happened', () => {
  const { days, series } = dailySeries(outcomes, 'clicked', ({ scenario }) => scenario);
  expect(days).toEqual(['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']);
  expect(series.map(({ name }) => name)).toEqual(['home']);
  expect(series[0]?.values.map((value) => value?.value)).toEqual([0.5, undefined, undefined, 0.2]);
});

test('responses and visits never share a chart: visits with and without a recommendation have one of their own', () => {
  const names = (measure: 'converted' | 'visit_converted') =>
    dailySeries(outcomes, measure, ({ model_id }) => model_id ?? '').series.map(({ name }) => name);
  expect(names('converted')).toEqual(['old', 'new']);
  expect(names('visit_converted')).toEqual([withRecommendation, withoutRecommendation]);
  const { series } = dailySeries(outcomes, 'visit_converted', ({ scenario }) => scenario);
  expect(series.map(({ values }) => values.map((value) => value?.value))).toEqual([
    [undefined, undefined, undefined, 0.25],
    [undefined, 0.1, undefined, undefined],
  ]);
});
