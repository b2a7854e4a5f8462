import { clusterUsers, matchClusters } from '@tastegraph/algorithms';
import { analyse } from '../analysis/analyse.ts';
import { writeLines } from '../analysis/ndjson.ts';
import { describeClustering, type NamedClustering } from './describe-clustering.ts';
import { drawClustering } from './draw-clustering.ts';
import { messageOf } from './message.ts';
import type { Clustered, ClusteringQuestion } from './protocol.ts';
import { readPrevious } from './read-previous.ts';

/** A thread that groups the users of one job's model. */
await analyse<Clustered>(async ({ parameters, previous }: ClusteringQuestion, analysing) => {
  const { snapshot, model, catalogue, record, store, signal, report, write } = analysing;
  const { min_user_num: minUsers = 1, max_clusters } = parameters;
  const { values, userIds, events } = snapshot;
  const clustering = clusterUsers(
    {
      events,
      typeWeights: model.parameters.typeWeights,
      values: { offsets: values.offsets, items: values.carrier },
    },
    {
      minUsers,
      ...(max_clusters === undefined ? {} : { maxClusters: max_clusters }),
      onProgress: (stage, fraction) => report('grouping', 0.8 * fraction, stage),
    },
  );

  report('naming', 0.8, 'groups after those of the result before');
  const before = previous.file ? await readPrevious(store, previous.file, userIds, signal) : undefined;
  const ids = matchClusters({
    previous: before ?? new Int32Array(userIds.ends.length),
    current: clustering.clusterOf,
    clusters: clustering.clusters.length,
    usedIds: Array.from({ length: previous.last_cluster_id }, (_, index) => index + 1),
  });

  const named: NamedClustering = { clustering, ids, values, userIds, itemIds: catalogue.itemIds };
  report('writing', 0.85, 'users and groups');
  await write(writeLines(describeClustering(named)));
  report('drawing', 0.95, 'a map of the groups');
  // Only now: what draws takes longer to load than many a clustering.
  const [{ clusterMap }, { renderSvg }] = await Promise.all([
    import('@tastegraph/charts'),
    import('@tastegraph/charts/svg'),
  ]);
  await write([Buffer.from(renderSvg(clusterMap(drawClustering(named, record.name))))]);
  return {
    message: messageOf(clustering, minUsers, previous.file !== null && !before),
    lastClusterId: Math.max(previous.last_cluster_id, ...ids),
  };
});
