import {
  type Cluster,
  type Clustering,
  type Distinction,
  type ItemValues,
  type Scalar,
  type Texts,
  textAt,
} from '@tastegraph/algorithms';
import { rounded } from '../analysis/rounded.ts';

/** A clustering, and what its numbers stand for. */
export interface NamedClustering {
  readonly clustering: Clustering;
  /** By the cluster's number. */
  readonly ids: readonly number[];
  readonly values: ItemValues;
  readonly userIds: Texts;
  readonly itemIds: readonly string[];
}

/** The result's lines: of the whole, of each cluster, the largest first, and of each user in the order of the ids' bytes. */
export function* describeClustering(named: NamedClustering): Generator<object> {
  const { clustering, ids, userIds } = named;
  const { clusters, clusterOf } = clustering;
  const assigned = clusters.reduce((sum, { size }) => sum + size, 0);
  yield { clusters: clusters.length, users: clusterOf.length, unassigned: clusterOf.length - assigned };
  for (const [number, cluster] of clusters.entries())
    yield { cluster_id: ids[number], ...describeCluster(named, cluster) };
  for (const [user, number] of clusterOf.entries())
    yield { user_id: textAt(userIds, user), cluster_id: ids[number] ?? null };
}

function describeCluster({ values, itemIds }: NamedClustering, { size, cohesion, ...apart }: Cluster) {
  return {
    size,
    cohesion: rounded(cohesion),
    items: apart.items.map((one) => ({ item_id: itemIds[one.index] ?? '', ...strengthOf(one) })),
    attributes: apart.values.map((one) => ({ ...valueOf(values, one.index), ...strengthOf(one) })),
  };
}

/** What a value's number stands for. */
export function valueOf(values: ItemValues, number: number): { attribute: string; value: Scalar } {
  // The last name that begins at or before it: names have one value at least.
  const place = values.first.findLastIndex((first) => first <= number);
  return {
    attribute: values.names[place] ?? '',
    value: JSON.parse(textAt(values.texts, number)) as Scalar,
  };
}

const strengthOf = ({ share, shareOfAll, lift }: Distinction) => ({
  share: rounded(share),
  share_of_all: rounded(shareOfAll),
  lift: rounded(lift),
});
