import { type DatasetSummary, useDatasets } from '../../data/use-datasets.ts';
import { isActive, type ListedJob, useJobs } from '../../jobs/use-jobs.ts';
import { type Model, useModels } from '../../models/use-models.ts';
import { type Project, useProject } from '../../projects/project-context.ts';

/** What is known of each stage of the pipeline. Undefined while it loads. */
export interface Stages {
  readonly project: Project;
  readonly datasets: readonly DatasetSummary[] | undefined;
  readonly models: readonly Model[] | undefined;
  readonly training: ListedJob | undefined;
  readonly deploying: ListedJob | undefined;
  readonly deployed: Model | undefined;
}

export function useStages(): Stages {
  const project = useProject();
  const datasets = useDatasets();
  const models = useModels();
  const jobs = useJobs();
  const active = (type: ListedJob['job_type']) =>
    jobs.data?.find((job) => job.job_type === type && isActive(job));
  return {
    project,
    datasets: datasets.data,
    models: models.data,
    training: active('TRAINING'),
    deploying: active('DEPLOYMENT'),
    deployed: models.data?.find(({ model_id }) => model_id === project.deployment?.generator_model_id),
  };
}

export const countOf = (stages: Stages, kind: DatasetSummary['kind']) =>
  stages.datasets?.find((dataset) => dataset.kind === kind)?.count ?? 0;
