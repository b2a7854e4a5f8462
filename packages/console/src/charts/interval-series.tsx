import type { InteractiveHistory } from '@tastegraph/charts/interactive';
import { useMemo } from 'react';
import { formatNumber, formatPercent } from '../format.ts';
import { Chart } from './chart.tsx';
import { Legend } from './legend.tsx';

/** Days with their estimates and intervals: a chart with its legend, and the same figures as a table. */
export function IntervalSeries({ data }: { data: InteractiveHistory }) {
  const { label, names, series, unit = 'share' } = data;
  // The same figures are drawn once, however often they are read again: `key` says all of them.
  const key = JSON.stringify(data);
  const drawn = useMemo(() => data, [key]);
  const format = (value: number) => (unit === 'share' ? formatPercent(value, 1) : formatNumber(value));
  const rows = names.map((name, index) => ({ name, index })).toReversed();
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
        <div className="relative mt-2 max-h-64 overflow-auto" tabIndex={0} role="region" aria-label={label}>
          <table className="w-full">
            <thead className="text-left text-muted">
              <tr>
                <th scope="col" className="py-1 pr-2 font-medium">
                  Day (UTC)
                </th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="px-2 py-1 text-right font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ name: day, index }) => (
                <tr key={day}>
                  <th scope="row" className="pr-2 text-left font-normal whitespace-nowrap">
                    {day}
                  </th>
                  {series.map(({ name, values }) => {
                    const found = values[index];
                    return (
                      <td key={name} className="px-2 text-right whitespace-nowrap tabular-nums">
                        {found
                          ? `${format(found.value)} (${format(found.low)} to ${format(found.high)})`
                          : '–'}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
