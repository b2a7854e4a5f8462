import type { JobDefinition, WorkerServices } from '../../jobs/engine/job-definition.ts';
import { TransientJobError } from '../../jobs/engine/job-error.ts';
import type { Work } from '../../jobs/engine/run-jobs.ts';
import type { AttemptRow } from '../../jobs/rows/attempts.ts';
import { type ClusteringRequest, type ClusteringResult, type PlannedFile, planTable } from '../protocol.ts';
import { findPreviousClustering, lockLastClusterId } from '../rows.ts';
import { runAnalysis, submitAnalysis } from '../run-analysis.ts';

export const clustering: JobDefinition<'CLUSTERING'> = {
  submit: (ctx, { name, project_id, parameters = {}, ...data }) =>
    submitAnalysis(ctx, project_id, { job_type: 'CLUSTERING', name, job_data: { ...data, parameters } }),
  work: clusterUsers,
  // A clustering takes one thread for seconds.
  concurrency: () => 1,
  hasUserIdFields: true,
};

const script = new URL('./clusterer.ts', import.meta.url);

/** Clusters the users that the model was trained on. */
function clusterUsers({ db, objects }: WorkerServices): Work<'CLUSTERING'> {
  return async (attempt, context) => {
    const { project_key, job_data } = attempt;
    const previous = await findPreviousClustering(db, project_key, job_data);
    const request: ClusteringRequest = { ...job_data, previous };
    const plan = { script, files: planFiles(attempt), request };
    const outcome = await runAnalysis<ClusteringResult>(db, objects, attempt, context, plan);
    const { files, found, publish, discard } = outcome;
    return {
      result: { files, message: found.message, last_cluster_id: found.lastClusterId },
      async publish(tx) {
        await publish(tx);
        // Another clustering may have used the new IDs meanwhile.
        if ((await lockLastClusterId(tx, attempt)) > previous.last_cluster_id)
          throw new TransientJobError('OVERTAKEN');
      },
      discard,
    };
  };
}

function planFiles({ job_id, job_data }: AttemptRow<'CLUSTERING'>): PlannedFile[] {
  const name = `clusters-${job_id}`;
  return [
    { object_name: 'clusters.ndjson', file_name: `${name}.ndjson`, content_type: 'application/x-ndjson' },
    { object_name: 'map.svg', file_name: `${name}.svg`, content_type: 'image/svg+xml' },
    { object_name: 'map.json', file_name: `${name}-map.json`, content_type: 'application/json' },
    ...planTable(name, job_data.table_format),
  ];
}
