import { chooseColors, chooseShapes } from '@tastegraph/charts/colors';
import type { InteractiveMap } from '@tastegraph/charts/interactive';
import { type ReactNode, useMemo, useState } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { Card } from '../../components/card.tsx';
import { formatCount, formatNumberOf } from '../../format.ts';
import { useTitles } from '../../use/items.ts';
import { ClusterDetails } from './cluster-details.tsx';
import { ClusterList } from './cluster-list.tsx';
import { nameClusters, nameOfValue } from './name-clusters.ts';
import type { ClusterMapFile } from './read-result.ts';

/** Enough to name a cluster that has no attribute values, and to describe it. */
const titledItems = 5;

/** The map, a legend that is also its table, and the chosen cluster in full. */
export function ClusterExplorer({ map, children }: { map: ClusterMapFile; children: ReactNode }) {
  const [pointed, setPointed] = useState<number>();
  const [chosen, setChosen] = useState<number>();
  const ids = useMemo(
    () => map.clusters.flatMap(({ items }) => items.slice(0, titledItems).map(({ item_id }) => item_id)),
    [map],
  );
  const titleOf = useTitles(ids);
  const names = nameClusters(map.clusters, titleOf);
  const colors = useMemo(() => chooseColors(map.clusters), [map]);
  const shapes = useMemo(() => chooseShapes(colors), [colors]);
  const nameOf = (id: number) => names.get(id)?.name ?? '';
  const selected = map.clusters.find(({ cluster_id }) => cluster_id === chosen) ?? map.clusters[0];
  const listed = map.clusters.map((cluster, index) => ({
    cluster,
    name: nameOf(cluster.cluster_id),
    more: names.get(cluster.cluster_id)?.more ?? '',
    color: colors[index] ?? '',
    shape: shapes[index] ?? 'circle',
    values: cluster.attributes.slice(0, 3).map((one) => {
      const isNaming = one.attribute === cluster.attributes[0]?.attribute;
      return `${one.lift.toFixed(1)} × ${nameOfValue(one)}${isNaming ? '' : `, ${one.attribute}`}`;
    }),
    items: cluster.items
      .slice(0, titledItems)
      .map((one) => `${one.lift.toFixed(1)} × ${titleOf(one.item_id)}`),
  }));
  const data: InteractiveMap = {
    kind: 'map',
    users: map.users,
    points: map.points,
    highlighted: pointed,
    selected: selected?.cluster_id,
    clusters: listed.map(({ cluster, name, color, shape, values, items }) => ({
      id: cluster.cluster_id,
      name,
      color,
      shape,
      size: cluster.size,
      x: cluster.x,
      y: cluster.y,
      notes: [...values, ...items.slice(0, 2)],
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
        <div className="grid gap-4 p-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
          <div className="min-w-0">
            <p className="text-sm text-muted">
              Each dot is a user ({formatCount(map.points.x.length)} shown). A larger circle is a larger
              cluster; clusters that are close to each other have similar taste.
            </p>
            <Chart
              data={data}
              canZoom
              className="aspect-square max-h-160 w-full"
              onPoint={(datum) => setPointed(datum ? Number(datum.name) : undefined)}
              onPick={({ name }) => setChosen(Number(name))}
            />
          </div>
          <ClusterList
            clusters={listed}
            users={map.users}
            selectedId={selected?.cluster_id}
            onPoint={setPointed}
            onChoose={setChosen}
          />
        </div>
      </Card>
      {selected && <ClusterDetails cluster={selected} name={nameOf(selected.cluster_id)} users={map.users} />}
    </>
  );
}
