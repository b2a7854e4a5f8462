import type { Cluster } from '@tastegraph/algorithms';
import type { ClusterMap } from '@tastegraph/charts';
import { type NamedClustering, valueOf } from './describe-clustering.ts';

/** What fits beside a group on the map. */
const mostTold = 2;

/** The map of a clustering. */
export function drawClustering(named: NamedClustering, modelName: string): ClusterMap {
  const { clusters, clusterOf, points } = named.clustering;
  const idOf = (number: number) => named.ids[number] ?? null;
  return {
    title: `Groups of users by taste: ${modelName}`,
    clusters: clusters.map((cluster, number) => ({
      id: idOf(number) ?? '',
      ...{ size: cluster.size, x: cluster.x, y: cluster.y, radius: cluster.radius },
      label: labelOf(named, cluster),
    })),
    points: Array.from(points.user, (user, place) => ({
      ...{ x: points.x[place] ?? 0, y: points.y[place] ?? 0 },
      cluster: idOf(clusterOf[user] ?? -1),
    })),
  };
}

/** Values say more of a group than single items do, where there are some. */
function labelOf({ values, itemIds }: NamedClustering, cluster: Cluster): string {
  const told = cluster.values.slice(0, mostTold).map(({ index }) => String(valueOf(values, index).value));
  const items = cluster.items.slice(0, mostTold).map(({ index }) => itemIds[index] ?? '');
  return (told.length > 0 ? told : items).join(', ');
}
