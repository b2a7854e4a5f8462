import { Boxes, FileDown } from 'lucide-react';
import { Card } from '../../components/card.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import type { ListedJob } from '../../use/jobs.ts';
import { AnalysisView } from './analysis-view.tsx';
import { ClusterExplorer } from './cluster-explorer.tsx';
import { DownloadLink } from './download-link.tsx';
import { NewClustering } from './new-clustering.tsx';
import { useClusterMap } from './use-analyses.ts';

export function ClustersTab() {
  return (
    <AnalysisView
      kind="clusters"
      action={<NewClustering />}
      empty={{
        icon: Boxes,
        title: 'No clusters yet',
        text: 'A clustering groups users by what they choose, and says which items and attribute values set each group apart. It needs a G1 model and takes seconds.',
      }}
    >
      {(job) => <ClusterResult key={job.job_id} job={job} />}
    </AnalysisView>
  );
}

function ClusterResult({ job }: { job: ListedJob }) {
  const query = useClusterMap(job);
  return (
    <QueryView query={query} lines={10}>
      {({ result, read: map }) => (
        <>
          {result.message !== null && <p className="mb-3 text-muted">{result.message}</p>}
          {map ? (
            <ClusterExplorer map={map}>
              <DownloadLink url={result.table_url ?? result.download_url}>All users by cluster</DownloadLink>
              {result.chart_urls?.[0] !== undefined && (
                <DownloadLink url={result.chart_urls[0]}>Map as SVG</DownloadLink>
              )}
            </ClusterExplorer>
          ) : (
            <Card>
              <EmptyState
                icon={FileDown}
                title="This result has no interactive map"
                action={<DownloadLink url={result.download_url}>Download the result</DownloadLink>}
              >
                Start a new clustering to explore it here.
              </EmptyState>
            </Card>
          )}
        </>
      )}
    </QueryView>
  );
}
