import { failureOf } from '../../components/states.tsx';
import { type DatasetSummary, useDatasets } from '../../use/datasets.ts';
import { isActive, type ListedJob, useJobs } from '../../use/jobs.ts';
import { type Model, useModels } from '../../use/models.ts';
import { type Project, useProject } from '../../use/projects.ts';
import { type Statistics, useStatistics } from '../../use/statistics.ts';

/** What is known of each stage of the pipeline. Undefined while it loads. */
export interface Stages {
  readonly project: Project;
  readonly datasets: readonly DatasetSummary[] | undefined;
  readonly models: readonly Model[] | undefined;
  readonly training: ListedJob | undefined;
  readonly deploying: ListedJob | undefined;
  readonly deployed: Model | undefined;
  /** Calls of the last 24 hours. */
  readonly calls: Statistics['total'] | undefined;
  /** Events that happened after the deployed model was trained, by whole days. */
  readonly newEvents: number;
  /** Why a stage is not known, and a way to ask again. */
  readonly failure: ReturnType<typeof failureOf>;
}

export function useStages(): Stages {
  const project = useProject();
  const datasets = useDatasets();
  const models = useModels();
  const jobs = useJobs();
  const active = (type: ListedJob['job_type']) =>
    jobs.data?.find((job) => job.job_type === type && isActive(job));
  const today = useStatistics('day');
  const month = useStatistics('month');
  const deployed = models.data?.find(({ model_id }) => model_id === project.deployment?.generator_model_id);
  const newEvents = (month.data?.events ?? [])
    .filter(({ ts }) => deployed !== undefined && ts > deployed.created_ts)
    .reduce((sum, { events }) => sum + events, 0);
  return {
    project,
    datasets: datasets.data,
    models: models.data,
    training: active('TRAINING'),
    deploying: active('DEPLOYMENT'),
    deployed,
    calls: today.data?.total,
    newEvents,
    failure: failureOf([datasets, models, jobs, today]),
  };
}

/** The newest model that learned tastes: what is popular is trained beside it, to compare with or to fall back on. */
export const newestOf = ({ models }: Stages): Model | undefined =>
  models?.find(({ algorithm_type }) => algorithm_type !== 'POPULAR') ?? models?.[0];

export const countOf = (stages: Stages, kind: DatasetSummary['kind']) =>
  stages.datasets?.find((dataset) => dataset.kind === kind)?.count ?? 0;
