import {
  type Cluster,
  type Clustering,
  clusterUsers,
  knownUsers,
  matchClusters,
  type Texts,
  textAt,
  unpackTexts,
} from '@tastegraph/algorithms';
import type { ClusterMap } from '@tastegraph/charts';
import type { ResultFile } from '../../jobs/rows/jobs.ts';
import { readLines, writeLines } from '../../kernel/files/ndjson.ts';
import { writeTable } from '../../kernel/files/write-table.ts';
import { formatCount } from '../../kernel/lib/format.ts';
import { isAbsent } from '../../kernel/objects/error.ts';
import type { ObjectStore } from '../../kernel/objects/store.ts';
import { analyse, loadCharts } from '../analyse.ts';
import type { ClusteringRequest, ClusteringResult } from '../protocol.ts';
import {
  type ClusteredUser,
  describeClustering,
  describeMap,
  listUsers,
  type NamedClustering,
  usersTable,
  valueOf,
} from './describe-clustering.ts';

/** As many values as fit beside a cluster on the map. */
const maxLabels = 2;

/** The thread that clusters the users of one job's model. */
await analyse<ClusteringResult>(async (request: ClusteringRequest, context) => {
  const { parameters, previous, table_format } = request;
  const { snapshot, model, itemIds, record, store, signal, report, write } = context;
  const { min_user_num = 1, max_clusters } = parameters;
  // 0 means no minimum; a cluster has at least one user.
  const minUsers = Math.max(1, min_user_num);
  const { values } = snapshot;
  // Users without events have no taste of their own.
  const { userIds, events } = knownUsers(snapshot);
  const clustering = clusterUsers(
    {
      events,
      typeWeights: model.typeWeights,
      values: { offsets: values.offsets, items: values.carrier },
    },
    {
      minUsers,
      ...(max_clusters === undefined ? {} : { maxClusters: max_clusters }),
      onProgress: (stage, fraction) => report('grouping', 0.8 * fraction, stage),
    },
  );

  report('naming', 0.8, 'matching the clusters with the previous result');
  const before = previous.file ? await readPrevious(store, previous.file, userIds, signal) : undefined;
  const ids = matchClusters({
    previous: before ?? new Int32Array(userIds.ends.length),
    current: clustering.clusterOf,
    clusters: clustering.clusters.length,
    usedIds: Array.from({ length: previous.last_cluster_id }, (_, index) => index + 1),
  });

  const named: NamedClustering = { clustering, ids, values, userIds, itemIds: unpackTexts(itemIds) };
  report('writing', 0.85, 'users and clusters');
  await write(writeLines(describeClustering(named)));
  report('drawing', 0.95, 'a map of the clusters');
  const { clusterMap, renderSvg } = await loadCharts();
  await write([Buffer.from(renderSvg(clusterMap(drawClustering(named, record.name))))]);
  await write([Buffer.from(JSON.stringify(describeMap(named)))]);
  if (table_format !== undefined) await write(writeTable(table_format, usersTable, listUsers(named)));
  return {
    message: messageOf(clustering, minUsers, previous.file !== null && !before),
    lastClusterId: Math.max(previous.last_cluster_id, ...ids),
  };
});

/** Explains what may be surprising in the result; null if nothing. */
function messageOf(
  { clusters, clusterOf, deleted }: Clustering,
  minUsers: number,
  isPreviousGone: boolean,
): string | null {
  const unassigned = clusterOf.length - clusters.reduce((sum, { size }) => sum + size, 0);
  const parts: string[] = [];
  if (deleted > 0)
    parts.push(
      `${formatCount(deleted, 'cluster')} with fewer than ${formatCount(minUsers, 'user')} ${deleted === 1 ? 'was' : 'were'} dropped`,
    );
  if (unassigned > 0)
    parts.push(`${formatCount(unassigned, 'user')} ${unassigned === 1 ? 'is' : 'are'} not in a cluster`);
  if (clusters.length === 1)
    parts.push('the tastes of the users do not form separate clusters, so there is only one');
  if (isPreviousGone) parts.push('the previous result no longer exists, so all clusters have new IDs');
  const text = parts.join('; ');
  return text === '' ? null : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The map of a clustering. */
function drawClustering(named: NamedClustering, modelName: string): ClusterMap {
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

/**
 * For each current user, the ID of their cluster in an earlier result, or 0. Both are in byte order of the user IDs, so
 * this merges them in one pass and keeps only one number per user. Undefined if the result no longer exists.
 */
async function readPrevious(
  store: ObjectStore,
  { object_key, size, sha256 }: ResultFile,
  userIds: Texts,
  signal: AbortSignal,
): Promise<Int32Array | undefined> {
  const body = await store.read(object_key, { expect: { size, sha256 }, signal }).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (!body) return undefined;
  const count = userIds.ends.length;
  const previous = new Int32Array(count);
  let user = 0;
  for await (const line of readLines(body.bytes as AsyncIterable<Uint8Array>)) {
    if (!isUserLine(line)) continue;
    const userId = Buffer.from(line.user_id);
    while (user < count && Buffer.compare(Buffer.from(textAt(userIds, user)), userId) < 0) user++;
    if (user < count && textAt(userIds, user) === line.user_id) previous[user++] = line.cluster_id ?? 0;
  }
  return previous;
}

/** The first lines describe the clustering and its clusters. */
function isUserLine(line: unknown): line is ClusteredUser {
  return typeof line === 'object' && line !== null && 'user_id' in line;
}
