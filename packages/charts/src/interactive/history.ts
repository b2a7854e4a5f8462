import type { CustomSeriesOption } from 'echarts/charts';
import { printable, share, shortCount } from '../texts.ts';
import { type ChartTheme, categoryAxis, type InteractiveChart, tooltip, valueAxis } from './theme.ts';

interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface InteractiveHistory {
  readonly kind: 'history';
  /** What is measured, such as "NDCG@20". */
  readonly label: string;
  /** What each name is of: models by default. */
  readonly of?: 'models' | 'days';
  /** Shares by default. */
  readonly unit?: 'share' | 'number';
  /** The names of what was measured, oldest first. */
  readonly names: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly color: string;
    /** One per name; null where nothing was measured. */
    readonly values: readonly (Estimate | null)[];
  }[];
}

/** Half the width of the ends of an interval, in pixels. */
const endWidth = 4;

/** A metric from model to model or day to day, each value with its interval. */
export function interactiveHistory(data: InteractiveHistory, theme: ChartTheme): InteractiveChart {
  const { names, series, of = 'models', unit = 'share' } = data;
  const isNegative = series.some(({ values }) => values.some((value) => value !== null && value.low < 0));
  return {
    description: describe(data),
    option: {
      animation: false,
      grid: { left: 8, right: 16, top: 16, bottom: 8, containLabel: true },
      tooltip: {
        ...tooltip(theme),
        trigger: 'axis',
        formatter: (points: readonly { dataIndex: number }[]) => {
          const index = points[0]?.dataIndex ?? 0;
          const lines = series.flatMap(({ name, values }) => {
            const found = values[index];
            return found ? [`${printable(name, 30)}: ${describeEstimate(found, unit)}`] : [];
          });
          return [printable(names[index] ?? '', 40), ...lines].join('\n');
        },
      },
      xAxis: categoryAxis(
        theme,
        names.map((name) => printable(name, theme.isNarrow ? 10 : 20)),
      ),
      yAxis: { ...valueAxis(theme, formats[unit]), ...(isNegative ? {} : { min: 0 }) },
      series: series.flatMap(({ name, color, values }) => [
        intervals(values, color),
        {
          type: 'line',
          name: printable(name, 30),
          data: values.map((found) => found?.value ?? null),
          lineStyle: { color, width: 2 },
          itemStyle: { color },
          symbolSize: 8,
          // A model of another algorithm in between is no gap; a day without a measurement is.
          connectNulls: of === 'models',
        },
      ]),
    },
  };
}

/** A line from the lower to the upper end of each interval, with short ends. */
function intervals(values: readonly (Estimate | null)[], color: string): CustomSeriesOption {
  return {
    type: 'custom',
    silent: true,
    data: values.flatMap((found, index) => (found ? [[index, found.low, found.high]] : [])),
    encode: { x: 0, y: [1, 2] },
    renderItem: (_, api) => {
      const [x = 0, bottom = 0] = api.coord([api.value(0), api.value(1)]);
      const [, top = 0] = api.coord([api.value(0), api.value(2)]);
      const line = (x1: number, y1: number, x2: number, y2: number) => ({
        type: 'line' as const,
        shape: { x1, y1, x2, y2 },
        style: { stroke: color, lineWidth: 1.5, opacity: 0.7 },
      });
      return {
        type: 'group',
        children: [
          line(x, bottom, x, top),
          line(x - endWidth, bottom, x + endWidth, bottom),
          line(x - endWidth, top, x + endWidth, top),
        ],
      };
    },
  };
}

const formats = { share, number: shortCount };

const describeEstimate = ({ value, low, high }: Estimate, unit: keyof typeof formats) =>
  `${formats[unit](value)} (${formats[unit](low)} to ${formats[unit](high)})`;

function describe({ label, of = 'models', unit = 'share', names, series }: InteractiveHistory): string {
  const newest = series.flatMap(({ name, values }) => {
    const last = values.findLast((value) => value !== null);
    return last ? [`${printable(name, 30)} ${describeEstimate(last, unit)}`] : [];
  });
  return `${label} of ${names.length} ${of}, oldest first. The newest: ${newest.join(', ')}.`;
}
