import type { InteractiveHistory } from '@tastegraph/charts/interactive';
import type { Measure, Outcome, Outcomes } from './use-outcomes.ts';

type VisitMeasure = 'converted' | 'target_events' | 'value';
export type MeasureName = 'clicked' | VisitMeasure | `visit_${VisitMeasure}`;

/** What can be shown over time, with its unit. Responses and visits are never in one chart. */
export const measures: Readonly<Record<MeasureName, { label: string; unit: 'share' | 'number' }>> = {
  clicked: { label: 'Responses with a click', unit: 'share' },
  converted: { label: 'Responses with a target event', unit: 'share' },
  target_events: { label: 'Target events per response', unit: 'number' },
  value: { label: 'Value per response', unit: 'number' },
  visit_converted: { label: 'Visits with a target event', unit: 'share' },
  visit_target_events: { label: 'Target events per visit', unit: 'number' },
  visit_value: { label: 'Value per visit', unit: 'number' },
};

const visitMeasures: Partial<Record<MeasureName, VisitMeasure>> = {
  visit_converted: 'converted',
  visit_target_events: 'target_events',
  visit_value: 'value',
};

export const isPerVisit = (name: MeasureName): boolean => name in visitMeasures;

export const groupings = { scenario: 'By scenario', model: 'By model', variant: 'By variant' } as const;
export type Grouping = keyof typeof groupings;

type Estimate = NonNullable<InteractiveHistory['series'][number]['values'][number]>;

/** Null if there is no interval: a chart would show it as certain. */
const estimateOf = ({ rate, low, high }: Measure): Estimate | null =>
  rate === null || low === null || high === null ? null : { value: rate, low, high };

/** The rate over several groups, with errors taken as independent: exact for an experiment's variants, close for the models of a day. */
export function pool(
  parts: readonly { readonly measure: Measure; readonly count: number }[],
): Estimate | null {
  const known = parts.flatMap(({ measure, count }) => {
    const estimate = estimateOf(measure);
    return estimate && count > 0 ? [{ estimate, count }] : [];
  });
  const count = known.reduce((sum, part) => sum + part.count, 0);
  if (count === 0) return null;
  const value = known.reduce((sum, part) => sum + part.estimate.value * part.count, 0) / count;
  const side = (end: 'low' | 'high') =>
    Math.hypot(...known.map((part) => (part.estimate[end] - part.estimate.value) * part.count)) / count;
  return { value, low: value - side('low'), high: value + side('high') };
}

export interface DailySeries {
  readonly name: string;
  readonly values: readonly (Estimate | null)[];
}

/** Nobody tells more lines apart. */
const maxSeries = 5;
export const withRecommendation = 'After a recommendation';
export const withoutRecommendation = 'Without a recommendation';

const dayMs = 24 * 3600_000;

/** All days from the first to the last one, also those on which nothing happened. */
function daysBetween(known: readonly string[]): string[] {
  const times = known.map((day) => Date.parse(day));
  const first = Math.min(...times);
  const count = times.length === 0 ? 0 : (Math.max(...times) - first) / dayMs + 1;
  return Array.from({ length: count }, (_, index) =>
    new Date(first + index * dayMs).toISOString().slice(0, 10),
  );
}

/** Per response, one line per scenario, model or variant, those with most responses; per visit, with and without a recommendation. */
export function dailySeries(
  outcomes: Outcomes,
  measure: MeasureName,
  nameOf: (outcome: Outcome) => string,
): { days: string[]; series: DailySeries[] } {
  const { with_recommendation: led, without_recommendation: organic } = outcomes;
  const visits = [...led.days, ...organic.days].filter((row) => row.visits > 0);
  const days = daysBetween([...outcomes.days, ...visits].map(({ day }) => day));
  const ofVisit = visitMeasures[measure];
  if (ofVisit) {
    const lineOf = (name: string, side: Outcomes['with_recommendation']) => ({
      name,
      values: days.map((day) => {
        const found = side.days.find((row) => row.day === day);
        return found && found.visits > 0 ? estimateOf(found[ofVisit]) : null;
      }),
    });
    return { days, series: [lineOf(withRecommendation, led), lineOf(withoutRecommendation, organic)] };
  }
  const field = measure as 'clicked' | VisitMeasure;
  const answers = new Map<string, number>();
  for (const row of outcomes.days) answers.set(nameOf(row), (answers.get(nameOf(row)) ?? 0) + row.answers);
  const names = [...answers]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, maxSeries)
    .map(([name]) => name);
  const series = names.map((name) => ({
    name,
    values: days.map((day) =>
      pool(
        outcomes.days
          .filter((row) => row.day === day && nameOf(row) === name)
          .map((row) => ({ measure: row[field], count: row.answers })),
      ),
    ),
  }));
  return { days, series };
}
