import {
  type Cluster,
  type Clustering,
  type Distinction,
  type ItemValues,
  type Scalar,
  type Texts,
  textAt,
} from '@tastegraph/algorithms';
import { roundShare } from '../../kernel/files/ndjson.ts';
import type { Table } from '../../kernel/files/table.ts';

/** A clustering refers to clusters, attribute values, users and items by number; the other fields say what they are. */
export interface NamedClustering {
  readonly clustering: Clustering;
  /** By cluster number. */
  readonly ids: readonly number[];
  readonly values: ItemValues;
  readonly userIds: Texts;
  readonly itemIds: readonly string[];
}

/** The result's lines: a summary, then each cluster, largest first, then each user in byte order of the IDs. */
export function* describeClustering(named: NamedClustering): Generator<object> {
  const { clustering, ids } = named;
  const { clusters, clusterOf } = clustering;
  const assigned = clusters.reduce((sum, { size }) => sum + size, 0);
  yield { clusters: clusters.length, users: clusterOf.length, unassigned: clusterOf.length - assigned };
  for (const [number, cluster] of clusters.entries())
    yield { cluster_id: ids[number], ...describeCluster(named, cluster) };
  yield* listUsers(named);
}

export interface ClusteredUser {
  readonly user_id: string;
  readonly cluster_id: number | null;
}

export function* listUsers({ clustering, ids, userIds }: NamedClustering): Generator<ClusteredUser> {
  for (const [user, number] of clustering.clusterOf.entries())
    yield { user_id: textAt(userIds, user), cluster_id: ids[number] ?? null };
}

export const usersTable: Table<ClusteredUser> = {
  columns: [
    { name: 'user_id', type: 'text', isRequired: true },
    { name: 'cluster_id', type: 'integer', isRequired: false },
  ],
  rowsOf: ({ user_id, cluster_id }) => [[user_id, cluster_id]],
};

/** The map: clusters as in the result, with positions, and the users sampled for it, an array per field. Names no users. */
export function describeMap(named: NamedClustering): object {
  const { clustering, ids } = named;
  const { clusters, clusterOf, points } = clustering;
  return {
    users: clusterOf.length,
    clusters: clusters.map((cluster, number) => ({
      cluster_id: ids[number],
      ...describeCluster(named, cluster),
      x: roundShare(cluster.x),
      y: roundShare(cluster.y),
      radius: roundShare(cluster.radius),
    })),
    points: {
      x: Array.from(points.x, roundPlace),
      y: Array.from(points.y, roundPlace),
      cluster_id: Array.from(points.user, (user) => ids[clusterOf[user] ?? -1] ?? null),
    },
  };
}

/** Finer than a pixel of any screen. */
const roundPlace = (value: number) => Math.round(value * 1e4) / 1e4;

function describeCluster({ values, itemIds }: NamedClustering, cluster: Cluster) {
  const { size, cohesion, items, values: valuesOfCluster } = cluster;
  return {
    size,
    cohesion: roundShare(cohesion),
    items: items.map((one) => ({ item_id: itemIds[one.index] ?? '', ...strengthOf(one) })),
    attributes: valuesOfCluster.map((one) => ({ ...valueOf(values, one.index), ...strengthOf(one) })),
  };
}

/** Looks up an attribute value by its number. */
export function valueOf(values: ItemValues, number: number): { attribute: string; value: Scalar } {
  // The last name that starts at or before it: each name has at least one value.
  const index = values.first.findLastIndex((first) => first <= number);
  return {
    attribute: values.names[index] ?? '',
    value: JSON.parse(textAt(values.texts, number)) as Scalar,
  };
}

const strengthOf = ({ share, shareOfAll, lift }: Distinction) => ({
  share: roundShare(share),
  share_of_all: roundShare(shareOfAll),
  lift: roundShare(lift),
});
