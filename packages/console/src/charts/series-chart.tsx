import { useState } from 'react';
import { FiguresTable } from './figures-table.tsx';
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

function SeriesTable({ data: { series, times, label, unit, interval } }: { data: Series }) {
  const rows = times.map((ts, index) => ({
    id: ts,
    title: formatInterval(ts, interval),
    figures: series.map(({ values }) => {
      const value = values[index];
      return typeof value === 'number' ? formatValue(value, unit) : '–';
    }),
  }));
  const heading = interval === 'DAY' ? 'Day (UTC)' : 'Hour';
  const columns = series.map(({ name }) => name);
  return <FiguresTable label={label} heading={heading} columns={columns} rows={rows.toReversed()} />;
}
