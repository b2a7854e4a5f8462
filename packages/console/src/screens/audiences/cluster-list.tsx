import type { Shape } from '@tastegraph/charts/colors';
import clsx from 'clsx';
import { useEffect, useRef } from 'react';
import { formatCount, formatPercent } from '../../format.ts';
import type { Cluster } from './read-result.ts';

interface ListedCluster {
  readonly cluster: Cluster;
  readonly name: string;
  readonly more: string;
  readonly color: string;
  readonly shape: Shape;
  /** What sets it apart, a line each. */
  readonly values: readonly string[];
  readonly items: readonly string[];
}

interface ClusterListProps {
  readonly clusters: readonly ListedCluster[];
  readonly users: number;
  readonly selectedId: number | undefined;
  readonly onPoint: (id: number | undefined) => void;
  readonly onChoose: (id: number) => void;
}

/** The clusters by size, with the numbers, colours and shapes of the map. The selected one says what sets it apart. */
export function ClusterList({ clusters, users, selectedId, onPoint, onChoose }: ClusterListProps) {
  const list = useRef<HTMLTableElement>(null);
  // It may have been chosen on the map.
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>('[data-selected="true"]');
    const scroller = list.current?.parentElement;
    if (!row || !scroller) return;
    // Not scrollIntoView, which would scroll the page away from the map as well.
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (bottom > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = bottom - scroller.clientHeight;
  }, [selectedId]);
  return (
    <div className="relative max-h-170 overflow-y-auto">
      <table ref={list} className="w-full">
        <caption className="pb-1 text-left text-sm text-muted">
          Largest first. Choose one, here or on the map, to see what sets it apart.
        </caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Cluster</th>
            <th scope="col">Users</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {clusters.map(({ cluster: { cluster_id: id, size }, name, more, color, shape, values, items }) => {
            const isSelected = id === selectedId;
            return (
              <tr
                key={id}
                data-selected={isSelected}
                onMouseEnter={() => onPoint(id)}
                onMouseLeave={() => onPoint(undefined)}
                className={clsx('align-top', isSelected && 'bg-accent-soft/50')}
              >
                <th scope="row" className="w-full max-w-0 py-0.5 pr-2 pl-1 text-left font-normal">
                  <button
                    type="button"
                    aria-pressed={isSelected}
                    onClick={() => onChoose(id)}
                    onFocus={() => onPoint(id)}
                    onBlur={() => onPoint(undefined)}
                    className="flex w-full items-start gap-2 rounded px-1 py-1 text-left hover:bg-sunken"
                  >
                    <svg
                      aria-hidden
                      viewBox="-6.5 -6.5 13 13"
                      className="mt-1 size-3.5 shrink-0 stroke-line-strong"
                      fill={color}
                    >
                      <path d={outlines[shape]} />
                    </svg>
                    <span className="w-5 shrink-0 text-right font-semibold tabular-nums">{id}</span>
                    <span className="min-w-0 flex-1">
                      <span className="block truncate">{name}</span>
                      {!isSelected && <span className="block truncate text-xs text-muted">{more}</span>}
                    </span>
                  </button>
                  {isSelected && <SetsApart values={values} items={items} />}
                </th>
                <td className="py-1.5 text-right tabular-nums">{formatCount(size)}</td>
                <td className="py-1.5 pr-2 pl-3 text-right whitespace-nowrap text-muted tabular-nums">
                  {formatPercent(size / (users || 1), 1)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** As the map draws them. */
const outlines: Readonly<Record<Shape, string>> = {
  circle: 'M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z',
  rect: 'M-5.5 -5.5h11v11h-11z',
  triangle: 'M0 -6L6 6H-6z',
  diamond: 'M0 -6L6 0L0 6L-6 0z',
};

function SetsApart({ values, items }: { values: readonly string[]; items: readonly string[] }) {
  if (values.length + items.length === 0) return null;
  return (
    <div className="pb-2 pl-13 text-sm">
      <p className="text-xs text-muted">How often, compared with all users:</p>
      <ul>
        {[...values, ...items].map((line) => (
          <li key={line} className="truncate" title={line}>
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
}
