import { chooseColors, seriesColors } from '@tastegraph/charts/colors';
import type { InteractiveMap } from '@tastegraph/charts/interactive';
import clsx from 'clsx';
import { type ReactNode, useMemo, useState } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { Card } from '../../components/card.tsx';
import { formatCount, formatNumberOf, formatPercent } from '../../format.ts';
import { useTitles } from '../../items/use-items.ts';
import { useIsDark } from '../../theme.ts';
import { ClusterDetails } from './cluster-details.tsx';
import { nameClusters, nameOfValue } from './name-clusters.ts';
import type { ClusterMapFile } from './read-result.ts';

/** Enough to name a cluster that has no attribute values, and to describe it. */
const titledItems = 5;

/** The map, a legend that is also its table, and the chosen cluster in full. */
export function ClusterExplorer({ map, children }: { map: ClusterMapFile; children: ReactNode }) {
  const isDark = useIsDark();
  const [pointed, setPointed] = useState<number>();
  const [chosen, setChosen] = useState<number>();
  const ids = useMemo(
    () => map.clusters.flatMap(({ items }) => items.slice(0, titledItems).map(({ item_id }) => item_id)),
    [map],
  );
  const titleOf = useTitles(ids);
  const names = nameClusters(map.clusters, titleOf);
  const colors = useMemo(() => chooseColors(map.clusters, seriesColors(isDark)), [map, isDark]);
  const nameOf = (id: number) => names.get(id) ?? '';
  const selected = map.clusters.find(({ cluster_id }) => cluster_id === chosen) ?? map.clusters[0];
  const data: InteractiveMap = {
    kind: 'map',
    users: map.users,
    points: map.points,
    highlighted: pointed,
    clusters: map.clusters.map(({ cluster_id, size, x, y, attributes, items }, index) => ({
      id: cluster_id,
      name: nameOf(cluster_id),
      color: colors[index] ?? '',
      size,
      x,
      y,
      notes: [
        ...attributes.slice(0, 3).map((one) => `${one.lift.toFixed(1)} × ${nameOfValue(one)}`),
        ...items.slice(0, 2).map((one) => `${one.lift.toFixed(1)} × ${titleOf(one.item_id)}`),
      ],
    })),
  };
  const assigned = map.clusters.reduce((sum, { size }) => sum + size, 0);
  return (
    <>
      <Card
        aria-label="Map of clusters"
        title="Map of clusters"
        hint={`${formatNumberOf(assigned, 'user')} in ${formatNumberOf(map.clusters.length, 'cluster')}`}
        actions={<div className="flex flex-wrap gap-2">{children}</div>}
      >
        <div className="grid gap-4 p-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <Chart
            data={data}
            canZoom
            className="aspect-square max-h-160 w-full"
            onPoint={(datum) => setPointed(datum ? Number(datum.name) : undefined)}
            onPick={({ name }) => setChosen(Number(name))}
          />
          <div className="relative max-h-160 overflow-y-auto">
            <table className="w-full">
              <caption className="pb-1 text-left text-sm text-muted">
                Clusters, largest first. Choose one to see what sets it apart.
              </caption>
              <thead className="sr-only">
                <tr>
                  <th scope="col">Cluster</th>
                  <th scope="col">Users</th>
                  <th scope="col">Share</th>
                </tr>
              </thead>
              <tbody>
                {map.clusters.map(({ cluster_id, size }, index) => (
                  <tr
                    key={cluster_id}
                    onMouseEnter={() => setPointed(cluster_id)}
                    onMouseLeave={() => setPointed(undefined)}
                    className={clsx(cluster_id === selected?.cluster_id && 'bg-accent-soft/50')}
                  >
                    <th scope="row" className="w-full max-w-0 py-0.5 pr-2 pl-1 text-left font-normal">
                      <button
                        type="button"
                        aria-pressed={cluster_id === selected?.cluster_id}
                        onClick={() => setChosen(cluster_id)}
                        onFocus={() => setPointed(cluster_id)}
                        onBlur={() => setPointed(undefined)}
                        className="flex w-full items-center gap-2 rounded px-1 py-1 text-left hover:bg-sunken"
                      >
                        <span
                          aria-hidden
                          className="size-3 shrink-0 rounded-full border border-line-strong"
                          style={{ background: colors[index] ?? '' }}
                        />
                        <span className="truncate">{nameOf(cluster_id)}</span>
                      </button>
                    </th>
                    <td className="py-0.5 text-right tabular-nums">{formatCount(size)}</td>
                    <td className="py-0.5 pr-2 pl-3 text-right whitespace-nowrap text-muted tabular-nums">
                      {formatPercent(size / (map.users || 1), 1)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </div>
      </Card>
      {selected && <ClusterDetails cluster={selected} name={nameOf(selected.cluster_id)} users={map.users} />}
    </>
  );
}
