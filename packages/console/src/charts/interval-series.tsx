import type { InteractiveHistory } from '@tastegraph/charts/interactive';
import { useMemo } from 'react';
import { formatNumber, formatPercent } from '../format.ts';
import { Chart } from './chart.tsx';
import { FiguresTable } from './figures-table.tsx';
import { Legend } from './legend.tsx';

/** Days with their estimates and intervals: a chart with its legend, and the same figures as a table. */
export function IntervalSeries({ data }: { data: InteractiveHistory }) {
  const { label, names, series, unit = 'share' } = data;
  // The same figures are drawn once, however often they are read again: `key` says all of them.
  const key = JSON.stringify(data);
  const drawn = useMemo(() => data, [key]);
  const format = (value: number) => (unit === 'share' ? formatPercent(value, 1) : formatNumber(value));
  const rows = names.map((title, index) => ({
    id: title,
    title,
    figures: series.map(({ values }) => {
      const found = values[index];
      return found ? `${format(found.value)} (${format(found.low)} to ${format(found.high)})` : '–';
    }),
  }));
  return (
    <figure>
      <figcaption className="mb-1 text-sm text-muted">{label}, with 95 % intervals</figcaption>
      <Chart
        key={`${label} ${series.map(({ name }) => name).join(' ')}`}
        data={drawn}
        className="h-60 w-full"
      />
      <Legend series={series} />
      <details className="mt-2 text-sm">
        <summary className="cursor-pointer text-muted">As a table</summary>
        <FiguresTable
          label={label}
          heading="Day (UTC)"
          columns={series.map(({ name }) => name)}
          rows={rows.toReversed()}
        />
      </details>
    </figure>
  );
}
