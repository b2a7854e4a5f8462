import { formatPercent } from '../../format.ts';
import type { Estimate } from '../../use/models.ts';

interface Line {
  readonly label: string;
  readonly estimate: Estimate;
  readonly isMain: boolean;
}

const width = 300;
const x = (share: number) => Math.min(1, Math.max(0, share)) * (width - 2) + 1;
/** The same scale in every chart, so that 13 % never looks like 99 %. */
const ticks = [0, 0.5, 1];
const scale = `M0 9H${width}${ticks.map((tick) => `M${x(tick)} 0V18`).join('')}`;

/** Values with their 95 % intervals on a scale from 0 to 100 %, so that an overlap is seen. */
export function IntervalChart(props: {
  title: string;
  hint: string;
  /** What the comparison shows, in words. */
  verdict?: string | undefined;
  lines: readonly Line[];
}) {
  const { title, hint, verdict, lines } = props;
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">{title}</span>
        <span className="text-sm text-muted">{hint}</span>
        {verdict !== undefined && <span className="ml-auto text-sm font-medium">{verdict}</span>}
      </figcaption>
      <table className="w-full table-fixed">
        <colgroup>
          <col className="w-24" />
          <col />
          <col className="w-32" />
        </colgroup>
        <thead className="sr-only">
          <tr>
            <th scope="col">What</th>
            <th scope="col">Interval</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ label, estimate, isMain }) => (
            <tr key={label}>
              <th scope="row" className="w-24 truncate py-0.5 pr-2 text-left font-normal text-muted">
                {label}
              </th>
              <td className="py-0.5">
                <svg
                  viewBox={`0 0 ${width} 18`}
                  className="block h-4.5 w-full"
                  preserveAspectRatio="none"
                  aria-hidden
                >
                  <path d={scale} className="stroke-line" strokeWidth="1" />
                  <path
                    d={`M${x(estimate.low)} 9H${x(estimate.high)}`}
                    className={isMain ? 'stroke-accent' : 'stroke-line-strong'}
                    strokeWidth="6"
                  />
                  <path d={`M${x(estimate.value)} 3V15`} className="stroke-ink" strokeWidth="2" />
                </svg>
              </td>
              <td className="w-32 py-0.5 pl-2 text-right whitespace-nowrap tabular-nums">
                {formatPercent(estimate.value, 1)}{' '}
                <span className="text-xs text-muted">
                  ± {formatPercent((estimate.high - estimate.low) / 2, 1)}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot aria-hidden>
          <tr>
            <td />
            <td>
              <div className="flex justify-between text-xs text-muted tabular-nums">
                {ticks.map((tick) => (
                  <span key={tick}>{formatPercent(tick)}</span>
                ))}
              </div>
            </td>
            <td />
          </tr>
        </tfoot>
      </table>
    </figure>
  );
}
