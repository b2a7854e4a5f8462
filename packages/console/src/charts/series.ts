import { formatCompact, formatCount, formatHour, months } from '../format.ts';

/** Counts or durations over time. */
export interface Series {
  /** What is shown, such as "Calls per day". */
  readonly label: string;
  /** Bars are stacked. */
  readonly look: 'bars' | 'lines';
  readonly unit: 'count' | 'ms';
  readonly interval: 'HOUR' | 'DAY';
  /** The starts of all intervals in UTC, ascending. */
  readonly times: readonly number[];
  readonly series: readonly {
    readonly name: string;
    readonly color: string;
    /** One per interval; null where nothing is known. */
    readonly values: readonly (number | null)[];
  }[];
}

/** Days are those of the service, in UTC; hours are those of the reader. */
export function formatInterval(ts: number, interval: Series['interval']): string {
  const date = new Date(ts);
  return interval === 'DAY'
    ? `${months[date.getUTCMonth()] ?? ''} ${date.getUTCDate()}`
    : `${months[date.getMonth()] ?? ''} ${date.getDate()}, ${formatHour(ts)}`;
}

export const formatValue = (value: number, unit: Series['unit']) =>
  unit === 'ms' ? `${formatCount(Math.round(value))} ms` : formatCount(value);

export const formatTick = (value: number, unit: Series['unit']) =>
  unit === 'ms' ? `${formatCount(value)} ms` : formatCompact(value);

/** What an interval has, as far as it is known. */
export function figuresAt({ series, unit }: Series, index: number): string[] {
  return series.flatMap(({ name, values }) => {
    const value = values[index];
    return typeof value === 'number' && (value > 0 || series.length === 1)
      ? [`${name}: ${formatValue(value, unit)}`]
      : [];
  });
}

/** The chart in words. */
export function describeSeries({ label, unit, interval, times, series }: Series): string {
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    const figure =
      unit === 'ms'
        ? `at most ${formatValue(Math.max(0, ...known), unit)}`
        : formatValue(
            known.reduce((sum, value) => sum + value, 0),
            unit,
          );
    return `${name} ${figure}`;
  });
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return `${label}, ${formatInterval(first, interval)} to ${formatInterval(last, interval)}: ${parts.join(', ')}.`;
}

/** The values at the grid lines: 0 and up to five steps of 1, 2 or 5 times a power of ten. The last is above all values. */
export function gridOf({ look, times, series }: Series): number[] {
  const highest = Math.max(
    1,
    ...times.map((_, index) => {
      const values = series.map(({ values }) => values[index] ?? 0);
      return look === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
    }),
  );
  const power = 10 ** Math.floor(Math.log10(highest / 3));
  const step = Math.max(1, power * ([1, 2, 5, 10].find((one) => one * power >= highest / 3.5) ?? 10));
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step);
}
