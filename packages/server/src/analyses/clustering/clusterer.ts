import { clusterUsers, matchClusters, unpackTexts } from '@tastegraph/algorithms';
import { writeLines } from '../../kernel/files/ndjson.ts';
import { writeTable } from '../../kernel/files/write-table.ts';
import { analyse } from '../analyse.ts';
import {
  describeClustering,
  describeMap,
  listUsers,
  type NamedClustering,
  usersTable,
} from './describe-clustering.ts';
import { drawClustering } from './draw-clustering.ts';
import { messageOf } from './message.ts';
import type { ClusteringRequest, ClusteringResult } from './protocol.ts';
import { readPrevious } from './read-previous.ts';

/** The thread that clusters the users of one job's model. */
await analyse<ClusteringResult>(async (request: ClusteringRequest, context) => {
  const { parameters, previous, table_format } = request;
  const { snapshot, model, itemIds, record, store, signal, report, write } = context;
  const { min_user_num = 1, max_clusters } = parameters;
  // 0 means no minimum; a cluster has at least one user.
  const minUsers = Math.max(1, min_user_num);
  const { values, userIds, events } = snapshot;
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
  // Imported late: the charts take longer to load than many clusterings take.
  const [{ clusterMap }, { renderSvg }] = await Promise.all([
    import('@tastegraph/charts'),
    import('@tastegraph/charts/svg'),
  ]);
  await write([Buffer.from(renderSvg(clusterMap(drawClustering(named, record.name))))]);
  await write([Buffer.from(JSON.stringify(describeMap(named)))]);
  if (table_format !== undefined) await write(writeTable(table_format, usersTable, listUsers(named)));
  return {
    message: messageOf(clustering, minUsers, previous.file !== null && !before),
    lastClusterId: Math.max(previous.last_cluster_id, ...ids),
  };
});
