import { describe, expect, test } from 'vitest';
import { type ChartTheme, type InteractiveMap, interactiveChart } from '../src/interactive/index.ts';

const theme: ChartTheme = {
  ink: '#000001',
  muted: '#000002',
  line: '#000003',
  card: '#000004',
  accent: '#000005',
  fontFamily: 'sans-serif',
  isNarrow: false,
};

const map: InteractiveMap = {
  kind: 'map',
  users: 100,
  highlighted: undefined,
  selected: undefined,
  clusters: [
    {
      id: 4,
      name: 'Crime, Noir',
      color: '#111111',
      shape: 'circle',
      size: 60,
      x: 0,
      y: 0,
      notes: ['5 × Crime'],
    },
    { id: 9, name: '__proto__', color: '#222222', shape: 'circle', size: 30, x: 3, y: 1, notes: [] },
  ],
  points: { x: [0, 1, 3], y: [0, 1, 1], cluster_id: [4, null, 9] },
};

interface Series {
  readonly name?: string;
  readonly itemStyle: { readonly opacity: number; readonly color: string; readonly borderColor: string };
  readonly label?: { readonly formatter: () => string };
  readonly data: readonly unknown[];
  readonly tooltip?: { readonly formatter: () => string };
}
const seriesOf = (data: InteractiveMap) =>
  interactiveChart(data, theme).option['series'] as readonly Series[];

describe('a map of a page', () => {
  test('has a bubble per cluster, named by its ID, and the dots of each cluster in its colour', () => {
    const series = seriesOf(map);
    expect(series.filter(({ name }) => name !== undefined).map(({ name }) => name)).toEqual(['4', '9']);
    expect(series.slice(0, 3).map(({ data }) => data.length)).toEqual([1, 1, 1]);
    expect(series[1]?.itemStyle.color).toBe('#111111');
  });

  test('fades all clusters but the highlighted one', () => {
    const [, , , crime, other] = seriesOf({ ...map, highlighted: 9 });
    expect(crime?.itemStyle.opacity).toBeLessThan(other?.itemStyle.opacity ?? 0);
  });

  test('numbers each bubble by its ID, and names it where there is room, but not on a phone', () => {
    const labels = seriesOf(map).flatMap(({ label }) => label?.formatter() ?? []);
    expect(labels.slice(0, 3)).toEqual(['4', '9', 'Crime, Noir']);
    const { option } = interactiveChart(map, { ...theme, isNarrow: true });
    const narrow = (option['series'] as readonly Series[]).flatMap(({ label }) => label?.formatter() ?? []);
    expect(narrow).toEqual(['4', '9']);
  });

  test('outlines the selected cluster', () => {
    const [, , , crime, other] = seriesOf({ ...map, selected: 9 });
    expect(other?.itemStyle.borderColor).toBe(theme.ink);
    expect(crime?.itemStyle.borderColor).toBe(theme.card);
  });

  test('says in a tooltip what sets a cluster apart, and never uses a name of Object.prototype as it is', () => {
    const tips = seriesOf(map).flatMap(({ tooltip }) => tooltip?.formatter() ?? []);
    expect(tips[0]).toBe('Crime, Noir\n60 users, 60% of all\n5 × Crime');
    expect(tips[1]?.split('\n')[0]).not.toBe('__proto__');
  });

  test('is described in words', () => {
    const { description } = interactiveChart(map, theme);
    expect(description).toContain('100 users in 2 clusters');
    expect(description).toContain('Crime, Noir with 60 users');
  });
});

test('a distribution of a page fades the bins outside the chosen range', () => {
  const data = {
    kind: 'distribution' as const,
    value: 'Crime',
    edges: [0, 0.25, 0.5, 0.75, 1],
    counts: [610, 220, 0, 19],
    users: 849,
    from: 0.25,
    to: 0.75,
  };
  const { option, description } = interactiveChart(data, theme);
  const [{ data: bars }] = option['series'] as [
    { data: { value: unknown; itemStyle: { opacity: number } }[] },
  ];
  expect(bars.map(({ value }) => value)).toEqual([610, 220, '-', 19]);
  expect(bars.map(({ itemStyle }) => itemStyle.opacity < 1)).toEqual([true, false, false, true]);
  expect(description).toContain('610 users');
});
