import { Sigma } from 'lucide-react';
import { useState } from 'react';
import { Card, PageHeader } from '../../components/card.tsx';
import { JobTable } from '../../components/job-table.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { useMay } from '../../session/access.tsx';
import { isActive, useJobs } from '../../use/jobs.ts';
import { useModels } from '../../use/models.ts';
import { useProject } from '../../use/projects.ts';
import { CompareModels } from './compare-models.tsx';
import { DeploymentCard } from './deployment-card.tsx';
import { MetricHistory } from './metric-history.tsx';
import { ModelDetails } from './model-details.tsx';
import { ModelTable } from './model-table.tsx';
import { TrainButton } from './train-button.tsx';

export function ModelsScreen() {
  const models = useModels();
  const { deployment } = useProject();
  const jobs = useJobs();
  const canTrain = useMay('submitTrainingJob');
  const [chosen, setChosen] = useState<string>();
  const running = (jobs.data ?? []).filter(
    (job) => isActive(job) && (job.job_type === 'TRAINING' || job.job_type === 'DEPLOYMENT'),
  );
  return (
    <>
      <PageHeader
        title="Models"
        hint="How well each model predicts events that it has not seen, compared with recommending popular items to everyone."
        actions={canTrain && models.data?.length !== 0 && <TrainButton />}
      />
      {running.length > 0 && (
        <Card title="Under way" className="mb-4">
          <JobTable jobs={running} />
        </Card>
      )}
      <QueryView query={models} lines={8}>
        {(list) => {
          const withId = (id: string | undefined) => list.find(({ model_id }) => model_id === id);
          const selected = withId(chosen) ?? withId(deployment?.generator_model_id) ?? list[0];
          if (!selected)
            return (
              <Card>
                <EmptyState icon={Sigma} title="No model yet" action={canTrain && <TrainButton />}>
                  A training reads the project’s events, chooses its own parameters, and measures itself on
                  events that it did not see. Most take seconds to minutes. On the command line:{' '}
                  <code className="text-ink">tastegraph train --watch</code>
                </EmptyState>
              </Card>
            );
          return (
            <>
              <DeploymentCard models={list} jobs={jobs.data ?? []} />
              <MetricHistory models={list} />
              <Card
                title="All models"
                className="mb-4"
                actions={<CompareModels key={selected.model_id} models={list} selected={selected} />}
              >
                <ModelTable models={list} selectedId={selected.model_id} onSelect={setChosen} />
              </Card>
              <ModelDetails model={selected} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}
