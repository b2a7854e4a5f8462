import { formatCount } from '../../format.ts';
import type { DatasetSummary } from '../../use/datasets.ts';
import { type Statistics, useStatistics } from '../../use/statistics.ts';

const dayMs = 24 * 3600_000;
const [width, height] = [160, 28];
/** Further ahead, a pace says nothing. */
const maxForecastDays = 365;

interface Point {
  readonly ts: number;
  readonly count: number;
}

/** How a dataset grew, and when it is full at this pace. */
export function DatasetGrowth({ dataset }: { dataset: DatasetSummary }) {
  const { data } = useStatistics('quarter');
  if (!data) return null;
  const points = pointsOf(data, dataset.kind);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 2)
    return <p className="mt-2 text-sm text-muted">Growth is shown after the first full day.</p>;
  const grown = last.count - first.count;
  const days = (last.ts - first.ts) / dayMs;
  const daysLeft = grown > 0 ? ((dataset.ceiling - last.count) / grown) * days : Number.POSITIVE_INFINITY;
  return (
    <div className="mt-2">
      <Sparkline points={points} />
      <p className="mt-1 text-sm text-muted">
        {grown >= 0 ? '+' : '−'}
        {formatCount(Math.abs(grown))} in {days === 1 ? '1 day' : `${days} days`}
        {daysLeft < maxForecastDays && (
          <span className="text-warn">
            ; full in about {Math.max(1, Math.round(daysLeft))} days at this pace
          </span>
        )}
      </p>
    </div>
  );
}

const pointsOf = ({ records }: Statistics, kind: DatasetSummary['kind']): Point[] =>
  records.flatMap(({ ts, [kind]: count }) => (count === null ? [] : [{ ts, count }]));

function Sparkline({ points }: { points: readonly Point[] }) {
  const [first, last] = [points[0]?.ts ?? 0, points.at(-1)?.ts ?? 1];
  const most = Math.max(...points.map(({ count }) => count), 1);
  const places = points.map(({ ts, count }) => {
    const x = ((ts - first) / (last - first || 1)) * width;
    return `${x.toFixed(1)},${(height - 2 - (count / most) * (height - 4)).toFixed(1)}`;
  });
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="block h-7 w-full stroke-accent"
    >
      <polyline points={places.join(' ')} fill="none" strokeWidth="2" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
