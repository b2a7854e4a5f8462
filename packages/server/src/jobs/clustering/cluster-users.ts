import type { AttemptRow } from '../../storage/postgres/attempts.ts';
import { findPreviousClustering, lockLastClusterId } from '../../storage/postgres/clusterings.ts';
import type { Database } from '../../storage/postgres/pool.ts';
import type { PlannedFile } from '../analysis/protocol.ts';
import { type AnalysisSettings, runAnalysis } from '../analysis/run-analysis.ts';
import type { Work } from '../engine/run-jobs.ts';
import { Trouble } from '../engine/trouble.ts';
import type { Clustered, ClusteringQuestion } from './protocol.ts';

const script = new URL('./clusterer.ts', import.meta.url);

/** What a worker does for a CLUSTERING job. */
export function clusterUsers(db: Database, settings: AnalysisSettings): Work<'CLUSTERING'> {
  return async (attempt, tools) => {
    const { project_key, job_data } = attempt;
    const previous = await findPreviousClustering(db, project_key, job_data);
    const question: ClusteringQuestion = { parameters: job_data.parameters, previous };
    const plan = { script, files: planFiles(attempt), question };
    const analysed = await runAnalysis<Clustered>(db, settings, attempt, tools, plan);
    const { files, found, publish, discard } = analysed;
    return {
      result: { files, message: found.message, last_cluster_id: found.lastClusterId },
      async publish(tx) {
        await publish(tx);
        // Ids that were new when this one began may have been given away meanwhile.
        if ((await lockLastClusterId(tx, attempt)) > previous.last_cluster_id) throw new Trouble('OVERTAKEN');
      },
      discard,
    };
  };
}

function planFiles({ job_id }: AttemptRow<'CLUSTERING'>): PlannedFile[] {
  const name = `clusters-${job_id}`;
  return [
    { object_name: 'clusters.ndjson', file_name: `${name}.ndjson`, content_type: 'application/x-ndjson' },
    { object_name: 'map.svg', file_name: `${name}.svg`, content_type: 'image/svg+xml' },
  ];
}
