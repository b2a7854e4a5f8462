import clsx from 'clsx';
import { lazy, Suspense } from 'react';
import type { ChartProps } from './drawing.tsx';

/** ECharts is larger than the rest of the console, and is loaded with the first chart. */
const Drawing = lazy(async () => ({ default: (await import('./drawing.tsx')).Drawing }));

/** A chart, described in words for those who do not see it. Put a table of its figures beside it. */
export function Chart(props: ChartProps) {
  return (
    <Suspense
      fallback={
        <div
          role="status"
          aria-label="Loading the chart"
          className={clsx(props.className, 'animate-pulse rounded-md bg-sunken')}
        />
      }
    >
      <Drawing {...props} />
    </Suspense>
  );
}
