import type { Cluster } from '@tastegraph/algorithms';
import type { ClusterMap } from '@tastegraph/charts';
import { type NamedClustering, valueOf } from './describe-clustering.ts';

/** As many values as fit beside a cluster on the map. */
const maxLabels = 2;

/** The map of a clustering. */
export function drawClustering(named: NamedClustering, modelName: string): ClusterMap {
  const { clusters, clusterOf, points } = named.clustering;
  const idOf = (number: number) => named.ids[number] ?? null;
  return {
    title: `Clusters of users by taste: ${modelName}`,
    clusters: clusters.map((cluster, number) => ({
      id: idOf(number) ?? '',
      size: cluster.size,
      x: cluster.x,
      y: cluster.y,
      radius: cluster.radius,
      label: labelOf(named, cluster),
    })),
    points: Array.from(points.user, (user, index) => ({
      x: points.x[index] ?? 0,
      y: points.y[index] ?? 0,
      cluster: idOf(clusterOf[user] ?? -1),
    })),
  };
}

/** Labels a cluster with values, which say more than single items, or else with items. */
function labelOf({ values, itemIds }: NamedClustering, cluster: Cluster): string {
  const valueLabels = cluster.values
    .slice(0, maxLabels)
    .map(({ index }) => String(valueOf(values, index).value));
  const itemLabels = cluster.items.slice(0, maxLabels).map(({ index }) => itemIds[index] ?? '');
  return (valueLabels.length > 0 ? valueLabels : itemLabels).join(', ');
}
