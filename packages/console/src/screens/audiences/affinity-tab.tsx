import { ChartColumn } from 'lucide-react';
import { QueryView } from '../../components/states.tsx';
import type { ListedJob } from '../../use/jobs.ts';
import { AnalysisView } from './analysis-view.tsx';
import { DistributionCard } from './distribution-card.tsx';
import { NewDistribution } from './new-distribution.tsx';
import { useDistributions } from './use-analyses.ts';

export function AffinityTab() {
  return (
    <AnalysisView
      kind="distributions"
      action={<NewDistribution />}
      empty={{
        icon: ChartColumn,
        title: 'Nothing measured yet',
        text: 'Affinity is how much of what a user chooses has a value: how much of what a reader buys is Crime, for example. For users with few events, it leans on what the model expects. See how it is distributed, then list the users you want.',
      }}
    >
      {(job) => <DistributionResult key={job.job_id} job={job} />}
    </AnalysisView>
  );
}

function DistributionResult({ job }: { job: ListedJob }) {
  const query = useDistributions(job);
  const modelId = job.job_data && 'query_type' in job.job_data ? job.job_data.model_id : undefined;
  return (
    <QueryView query={query} lines={10}>
      {({ result, read: { distributions } }) => (
        <>
          {result.message !== null && <p className="mb-3 text-muted">{result.message}</p>}
          <DistributionCard
            distributions={distributions}
            chartUrls={result.chart_urls ?? []}
            modelId={modelId}
          />
        </>
      )}
    </QueryView>
  );
}
