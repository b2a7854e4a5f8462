import { count, printable, shortCount } from '../texts.ts';
import { type ChartTheme, categoryAxis, type InteractiveChart, tooltip, valueAxis } from './theme.ts';

export interface InteractiveSeries {
  readonly kind: 'series';
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

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const hour = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Days are those of the service; hours are those of the reader. */
const timeOf = (ts: number, interval: InteractiveSeries['interval']) =>
  (interval === 'DAY' ? day : hour).format(ts);

const shown = (value: number, unit: InteractiveSeries['unit']) =>
  unit === 'ms' ? `${count(value)} ms` : count(value);

/** Counts or durations over time: stacked bars, or lines. */
export function interactiveSeries(data: InteractiveSeries, theme: ChartTheme): InteractiveChart {
  const { look, unit, interval, times, series } = data;
  return {
    description: describe(data),
    option: {
      animation: false,
      grid: { left: 8, right: 16, top: 16, bottom: 8, containLabel: true },
      tooltip: {
        ...tooltip(theme),
        trigger: 'axis',
        axisPointer: { type: look === 'bars' ? 'shadow' : 'line' },
        formatter: (points: readonly { dataIndex: number }[]) => {
          const index = points[0]?.dataIndex ?? 0;
          const lines = series.flatMap(({ name, values }) => {
            const value = values[index];
            return typeof value === 'number' && (value > 0 || series.length === 1)
              ? [`${printable(name, 30)}: ${shown(value, unit)}`]
              : [];
          });
          return [timeOf(times[index] ?? 0, interval), ...(lines.length > 0 ? lines : ['none'])].join('\n');
        },
      },
      xAxis: categoryAxis(
        theme,
        times.map((ts) => timeOf(ts, interval)),
      ),
      yAxis: {
        ...valueAxis(theme, (value) => (unit === 'ms' ? shown(value, unit) : shortCount(value))),
        minInterval: 1,
        splitNumber: 3,
      },
      series: series.map(({ name, color, values }) =>
        look === 'bars'
          ? {
              type: 'bar',
              name: printable(name, 30),
              stack: 'all',
              data: values,
              itemStyle: { color },
              barCategoryGap: '15%',
            }
          : {
              type: 'line',
              name: printable(name, 30),
              data: values,
              lineStyle: { color, width: 2 },
              itemStyle: { color },
              symbolSize: 5,
            },
      ),
    },
  };
}

function describe({ label, unit, interval, times, series }: InteractiveSeries): string {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const parts = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    const figure =
      unit === 'ms'
        ? `at most ${shown(Math.max(0, ...known), unit)}`
        : shown(
            known.reduce((sum, value) => sum + value, 0),
            unit,
          );
    return `${printable(name, 30)} ${figure}`;
  });
  return `${label}, ${timeOf(first, interval)} to ${timeOf(last, interval)}: ${parts.join(', ')}.`;
}
