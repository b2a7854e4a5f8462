import { count, printable, share, users } from '../texts.ts';
import { axisLabel, type ChartTheme, type InteractiveChart, tooltip, valueAxis, zoom } from './theme.ts';

export interface InteractiveDistribution {
  readonly kind: 'distribution';
  readonly value: string;
  /** One more than there are counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly users: number;
  /** Bins in this range stand out. */
  readonly from: number;
  readonly to: number;
}

/** A histogram that is zoomed and pointed at. Its series has one datum per bin, so that a click says which. */
export function interactiveDistribution(
  distribution: InteractiveDistribution,
  theme: ChartTheme,
): InteractiveChart {
  const { edges, counts, users: all, from, to } = distribution;
  const value = printable(distribution.value, 30);
  const rangeOf = (bin: number) => `${share(edges[bin] ?? 0)} to ${share(edges[bin + 1] ?? 1)}`;
  const isWithin = (bin: number) => (edges[bin] ?? 0) >= from - 1e-9 && (edges[bin + 1] ?? 1) <= to + 1e-9;
  const highest = counts.indexOf(Math.max(...counts));
  return {
    description: `Histogram of ${users(all)} by their affinity for ${value}. The largest bin, from ${rangeOf(highest)}, has ${users(counts[highest] ?? 0)}.`,
    option: {
      animation: false,
      grid: { left: 8, right: 16, top: 16, bottom: 34, containLabel: true },
      tooltip: {
        ...tooltip(theme),
        trigger: 'axis',
        axisPointer: { type: 'shadow' },
        formatter: (points: readonly { dataIndex: number }[]) => {
          const bin = points[0]?.dataIndex ?? 0;
          const found = counts[bin] ?? 0;
          return `Affinity ${rangeOf(bin)}\n${users(found)}, ${share(found / (all || 1))} of all`;
        },
      },
      dataZoom: [zoom('xAxisIndex')],
      xAxis: {
        type: 'category',
        data: counts.map((_, bin) => share(edges[bin] ?? 0)),
        name: `Affinity for ${value}`,
        nameLocation: 'middle',
        nameGap: 30,
        nameTextStyle: axisLabel(theme),
        axisLabel: axisLabel(theme),
        axisLine: { lineStyle: { color: theme.line } },
        axisTick: { show: false },
      },
      yAxis: { ...valueAxis(theme, count), minInterval: 1 },
      series: [
        {
          type: 'bar',
          barCategoryGap: counts.length > 100 ? '0%' : '10%',
          // Few is not none.
          barMinHeight: 2,
          data: counts.map((found, bin) => ({
            value: found === 0 ? '-' : found,
            itemStyle: { color: theme.accent, opacity: isWithin(bin) ? 1 : 0.35 },
          })),
        },
      ],
    },
  };
}
