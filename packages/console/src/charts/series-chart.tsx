import type { InteractiveSeries } from '@tastegraph/charts/interactive';
import { useMemo } from 'react';
import { formatCount } from '../format.ts';
import { Chart } from './chart.tsx';

interface SeriesChartProps {
  readonly data: InteractiveSeries;
  readonly className?: string;
}

const dayTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const hourTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A chart over time with its legend, and its figures as a table. */
export function SeriesChart({ data, className = 'h-52 w-full' }: SeriesChartProps) {
  const { series, times, label, unit, interval } = data;
  // The same figures are drawn once, however often they are read again: `key` says all of them.
  const key = JSON.stringify(data);
  const drawn = useMemo(() => data, [key]);
  const time = interval === 'DAY' ? dayTime : hourTime;
  const rows = times.map((ts, index) => ({ ts, index })).toReversed();
  return (
    <figure>
      <figcaption className="mb-1 text-sm text-muted">{label}</figcaption>
      <Chart key={`${label} ${interval} ${series.length}`} data={drawn} className={className} />
      {series.length > 1 && (
        <ul aria-label="Legend" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
          {series.map(({ name, color }) => (
            <li key={name} className="flex min-w-0 items-center gap-1.5">
              <span
                aria-hidden
                className="size-3 shrink-0 rounded-sm border border-line-strong"
                style={{ background: color }}
              />
              <span className="truncate">{name}</span>
            </li>
          ))}
        </ul>
      )}
      <details className="mt-2 text-sm">
        <summary className="cursor-pointer text-muted">As a table</summary>
        <div className="relative mt-2 max-h-64 overflow-auto" tabIndex={0} role="region" aria-label={label}>
          <table className="w-full">
            <thead className="text-left text-muted">
              <tr>
                <th scope="col" className="py-1 pr-2 font-medium">
                  {interval === 'DAY' ? 'Day (UTC)' : 'Hour'}
                </th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="px-2 py-1 text-right font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ ts, index }) => (
                <tr key={ts}>
                  <th scope="row" className="pr-2 text-left font-normal whitespace-nowrap">
                    {time.format(ts)}
                  </th>
                  {series.map(({ name, values }) => {
                    const value = values[index];
                    return (
                      <td key={name} className="px-2 text-right tabular-nums">
                        {typeof value === 'number'
                          ? `${formatCount(Math.round(value))}${unit === 'ms' ? ' ms' : ''}`
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
