import { init } from '@tastegraph/charts/browser';
import { type ChartData, type ChartTheme, interactiveChart } from '@tastegraph/charts/interactive';
import clsx from 'clsx';
import { Maximize, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { IconButton } from '../components/button.tsx';
import { useIsDark } from '../theme.ts';

export interface ChartProps {
  /** Charts of different data need different keys: the same chart keeps its zoom while its data changes. */
  readonly data: ChartData;
  /** The height, or the ratio of the sides. */
  readonly className: string;
  readonly canZoom?: boolean;
  /** The name and index of the datum that the pointer is on, or undefined. */
  readonly onPoint?: (datum: Datum | undefined) => void;
  readonly onPick?: (datum: Datum) => void;
}

interface Datum {
  readonly name: string;
  readonly index: number;
}

type Drawn = ReturnType<typeof init>;

/** The page's colours, as its style sheet has them now. */
function readTheme(): ChartTheme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--color-${name}`).trim();
  return {
    ink: color('ink'),
    muted: color('muted'),
    line: color('line'),
    card: color('card'),
    accent: color('accent'),
    fontFamily: getComputedStyle(document.body).fontFamily,
    isNarrow: matchMedia('(max-width: 640px)').matches,
  };
}

/** A chart on a canvas, as wide as there is room. */
export function Drawing({ data, className, canZoom = false, onPoint, onPick }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn>(undefined);
  const latest = useRef({ onPoint, onPick });
  latest.current = { onPoint, onPick };
  const isDark = useIsDark();
  // With isDark: the colours of the style sheet change with the theme.
  const { description, option } = useMemo(() => interactiveChart(data, readTheme()), [data, isDark]);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const chart = init(element);
    drawn.current = chart;
    chart.on('mouseover', ({ name, dataIndex }) => latest.current.onPoint?.({ name, index: dataIndex }));
    chart.on('mouseout', () => latest.current.onPoint?.(undefined));
    chart.on('click', ({ name, dataIndex }) => latest.current.onPick?.({ name, index: dataIndex }));
    const observer = new ResizeObserver(() => chart.resize());
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.dispose();
    };
  }, []);
  useEffect(() => {
    drawn.current?.setOption(option);
  }, [option]);
  return (
    <div className="relative min-w-0">
      <div ref={host} role="img" aria-label={description} className={clsx('min-w-0', className)} />
      {canZoom && (
        <div role="group" aria-label="Zoom" className="absolute top-1 right-1 flex rounded-md bg-card/80">
          <IconButton label="Zoom in" onClick={() => drawn.current && zoomBy(drawn.current, 0.5)}>
            <ZoomIn aria-hidden />
          </IconButton>
          <IconButton label="Zoom out" onClick={() => drawn.current && zoomBy(drawn.current, 2)}>
            <ZoomOut aria-hidden />
          </IconButton>
          <IconButton label="Show all" onClick={() => drawn.current && zoomBy(drawn.current, 100)}>
            <Maximize aria-hidden />
          </IconButton>
        </div>
      )}
    </div>
  );
}

/** Shows so many times as much, around the same middle. */
function zoomBy(chart: Drawn, factor: number): void {
  const zooms =
    (chart.getOption() as { dataZoom?: readonly { start: number; end: number }[] }).dataZoom ?? [];
  const batch = zooms.map(({ start, end }, dataZoomIndex) => {
    const width = Math.min(100, (end - start) * factor);
    const from = Math.min(100 - width, Math.max(0, (start + end - width) / 2));
    return { dataZoomIndex, start: from, end: from + width };
  });
  chart.dispatchAction({ type: 'dataZoom', batch });
}
