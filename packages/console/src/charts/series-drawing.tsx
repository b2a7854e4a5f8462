import clsx from 'clsx';
import { useState } from 'react';
import { formatHour } from '../format.ts';
import { describeSeries, figuresAt, formatInterval, formatTick, gridOf, type Series } from './series.ts';

/** Of an interval's width: the gap between bars. */
const gap = 0.16;
/** Labels of the time axis; a phone shows every other one. */
const maxLabels = 8;

/** Bars or lines as SVG, drawn with the first paint of the page: ECharts would load for longer than this takes. */
export function SeriesDrawing({ data, className }: { data: Series; className: string }) {
  const { look, unit, interval, times, series } = data;
  const [pointed, setPointed] = useState<number>();
  const grid = gridOf(data);
  const top = grid.at(-1) ?? 1;
  const every = Math.ceil(times.length / maxLabels);
  const offsetOf = (index: number) => `${((index + 0.5) / times.length) * 100}%`;
  return (
    <div role="img" aria-label={describeSeries(data)} className={clsx('flex flex-col text-xs', className)}>
      <div className="flex min-h-0 flex-1 gap-2 pt-2 text-muted">
        <div className="flex flex-col-reverse justify-between text-right leading-0 tabular-nums">
          {grid.map((value) => (
            <span key={value}>{formatTick(value, unit)}</span>
          ))}
        </div>
        <div
          className="relative min-w-0 flex-1"
          onPointerMove={({ clientX, currentTarget }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            const index = Math.floor(((clientX - left) / width) * times.length);
            setPointed(Math.min(times.length - 1, Math.max(0, index)));
          }}
          onPointerLeave={() => setPointed(undefined)}
        >
          <svg
            viewBox={`0 0 ${times.length} ${top}`}
            preserveAspectRatio="none"
            className="absolute inset-0 size-full overflow-visible"
          >
            <path
              d={grid.map((value) => `M0 ${top - value}H${times.length}`).join('')}
              className="stroke-line"
              vectorEffect="non-scaling-stroke"
            />
            {pointed !== undefined && (
              <rect x={pointed} width={1} height={top} className="fill-ink" opacity={0.08} />
            )}
            {series.map(({ name, color, values }, index) =>
              look === 'bars' ? (
                <path key={name} d={barsOf(data, index, top)} fill={color} />
              ) : (
                <g key={name} fill="none" stroke={color} strokeLinecap="round" strokeLinejoin="round">
                  <path d={lineOf(values, top)} strokeWidth={2} vectorEffect="non-scaling-stroke" />
                  <path d={dotsOf(values, top)} strokeWidth={6} vectorEffect="non-scaling-stroke" />
                </g>
              ),
            )}
          </svg>
          {pointed !== undefined && (
            <div
              className="pointer-events-none absolute top-0 z-10 rounded-md border border-line bg-card px-2 py-1 whitespace-nowrap text-ink shadow-md"
              style={
                pointed < times.length / 2
                  ? { left: offsetOf(pointed) }
                  : { right: offsetOf(times.length - 1 - pointed) }
              }
            >
              <p className="font-medium">{formatInterval(times[pointed] ?? 0, interval)}</p>
              {figuresAt(data, pointed).map((line) => (
                <p key={line}>{line}</p>
              ))}
              {figuresAt(data, pointed).length === 0 && <p className="text-muted">none</p>}
            </div>
          )}
        </div>
      </div>
      <div className="flex gap-2 text-muted" aria-hidden>
        {/* As wide as the labels above. */}
        <span className="invisible h-0 tabular-nums">
          {widest(grid.map((value) => formatTick(value, unit)))}
        </span>
        <div className="relative mt-1 h-4 flex-1">
          {times.map((ts, index) =>
            index % every === 0 ? (
              <span
                key={ts}
                className={clsx(
                  'absolute -translate-x-1/2 whitespace-nowrap',
                  index % (2 * every) > 0 && 'max-sm:hidden',
                )}
                style={{ left: offsetOf(index) }}
              >
                {interval === 'HOUR' ? formatHour(ts) : formatInterval(ts, interval)}
              </span>
            ) : null,
          )}
        </div>
      </div>
    </div>
  );
}

const widest = (texts: readonly string[]) => texts.toSorted((a, b) => b.length - a.length)[0];

/** The bars of one series, each on top of those of the series before. */
function barsOf({ series }: Series, of: number, top: number): string {
  return (series[of]?.values ?? [])
    .map((value, index) => {
      if (value === null || value <= 0) return '';
      const below = series.slice(0, of).reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
      return `M${index + gap / 2} ${top - below}v${-value}h${1 - gap}v${value}z`;
    })
    .join('');
}

const pointOf = (value: number, index: number, top: number) => `${index + 0.5} ${top - value}`;

/** A line through known values. */
function lineOf(values: readonly (number | null)[], top: number): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      return `${typeof values[index - 1] === 'number' ? 'L' : 'M'}${pointOf(value, index, top)}`;
    })
    .join('');
}

/** A dot for each known value: a line of no length with round ends, which stays round however the drawing is stretched. */
const dotsOf = (values: readonly (number | null)[], top: number) =>
  values.map((value, index) => (value === null ? '' : `M${pointOf(value, index, top)}h0`)).join('');
