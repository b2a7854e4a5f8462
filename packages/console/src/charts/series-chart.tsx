import { useState } from 'react';
import { Legend } from './legend.tsx';
import { formatInterval, formatValue, type Series } from './series.ts';
import { SeriesDrawing } from './series-drawing.tsx';

/** A chart over time with its legend, and its figures as a table. */
export function SeriesChart({ data, className = 'h-52 w-full' }: { data: Series; className?: string }) {
  const { series, label } = data;
  const [hasTable, setHasTable] = useState(false);
  return (
    <figure>
      <figcaption className="mb-1 text-sm text-muted">{label}</figcaption>
      <SeriesDrawing data={data} className={className} />
      {series.length > 1 && <Legend series={series} />}
      <details className="mt-2 text-sm" onToggle={({ currentTarget }) => setHasTable(currentTarget.open)}>
        <summary className="cursor-pointer text-muted">As a table</summary>
        {hasTable && <SeriesTable data={data} />}
      </details>
    </figure>
  );
}

function SeriesTable({ data }: { data: Series }) {
  const { series, times, label, unit, interval } = data;
  const rows = times.map((ts, index) => ({ ts, index })).toReversed();
  return (
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
                {formatInterval(ts, interval)}
              </th>
              {series.map(({ name, values }) => {
                const value = values[index];
                return (
                  <td key={name} className="px-2 text-right tabular-nums">
                    {typeof value === 'number' ? formatValue(value, unit) : '–'}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
