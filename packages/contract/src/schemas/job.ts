import Type from 'typebox';
import { limits } from '../limits.ts';
import { AttributeName, Closed, Id, Name, Named, Nullable, PageQuery, Ts } from './fields.ts';
import { AlgorithmParameters, AlgorithmType } from './project.ts';

const JobType = Named('JobType', Type.Enum(['TRAINING', 'DEPLOYMENT', 'QUERYING', 'CLUSTERING']));

/**
 *            ┌───────── unexpected error, retry_count < 3 ────────┐
 *            ▼                                                    │
 *         PENDING ──── a worker takes it ────▶ RUNNING ───────────┤
 *            │                                    │               │
 *            └── /cancel-job ──▶ CANCELED ◀───────┤               │
 *                                                 ├─ done ──▶ SUCCEED
 *                                                 └─ no retry can mend it, or three did not ──▶ FAILED
 */
const JobStatus = Named('JobStatus', Type.Enum(['PENDING', 'RUNNING', 'SUCCEED', 'FAILED', 'CANCELED']));
const QueryType = Named('QueryType', Type.Enum(['user_list', 'user_distribution']));
const ClusterType = Named('ClusterType', Type.Enum(['user']));

const share = { minimum: 0, maximum: 1 };
const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

const Condition = Named(
  'UserListCondition',
  Closed({
    attribute: AttributeName,
    value: Value,
    lower_bound: Type.Optional(Type.Number({ ...share, default: 0 })),
    upper_bound: Type.Optional(Type.Number({ ...share, default: 1 })),
  }),
);

const UserListQuery = Named(
  'UserListQuery',
  Closed({ conditions: Type.Array(Condition, { minItems: 1, maxItems: limits.conditionsPerQuery }) }),
);

const UserDistributionQuery = Named(
  'UserDistributionQuery',
  Closed({
    attribute: AttributeName,
    value: Value,
    bins: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.binsMax, default: limits.binsDefault })),
  }),
);

const queries = { minItems: 1, maxItems: limits.queriesPerJob };
const queryJob = { name: Name, project_id: Id('project'), model_id: Id('model') };

export const SubmitQuerying = Type.Union([
  Named(
    'SubmitUserList',
    Closed({
      ...queryJob,
      query_type: Type.Literal('user_list'),
      queries: Type.Array(UserListQuery, queries),
    }),
  ),
  Named(
    'SubmitUserDistribution',
    Closed({
      ...queryJob,
      query_type: Type.Literal('user_distribution'),
      queries: Type.Array(UserDistributionQuery, queries),
    }),
  ),
]);

const ClusterParameters = Named(
  'ClusteringParameters',
  Closed({
    min_user_num: Type.Optional(
      Type.Integer({ minimum: 1, default: 1, description: 'Groups with fewer users are deleted.' }),
    ),
    max_clusters: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.clustersMax, default: limits.clustersDefault }),
    ),
  }),
);

export const SubmitClustering = Closed({
  name: Name,
  project_id: Id('project'),
  model_id: Id('model'),
  cluster_type: ClusterType,
  parameters: ClusterParameters,
});

export const SubmitTraining = Closed({
  project_id: Id('project'),
  algorithm_id: Id('algorithm'),
  name: Name,
});

export const SubmitDeployment = Closed({
  project_id: Id('project'),
  name: Name,
  generator_model_id: Id('model'),
  ranker_model_id: Type.Optional(Nullable(Id('model'))),
  qps: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.qpsMax, default: limits.qpsDefault })),
});

export const JobSubmitted = Closed({ job_id: Id('job') });

const ref = { project_id: Id('project'), job_id: Id('job') };
export const JobRef = Closed(ref);
export const ListJobs = Closed({
  project_id: Id('project'),
  job_type: Type.Optional(JobType),
  job_status: Type.Optional(JobStatus),
  ...PageQuery,
});

const TrainingData = Named(
  'TrainingJobData',
  Closed({ algorithm_type: AlgorithmType, algorithm_parameters: AlgorithmParameters }),
);
const DeploymentData = Named(
  'DeploymentJobData',
  Closed({ generator_model_id: Id('model'), ranker_model_id: Nullable(Id('model')) }),
);
const QueryingData = Named(
  'QueryingJobData',
  Closed({
    model_id: Id('model'),
    query_type: QueryType,
    queries: Type.Array(Type.Union([UserListQuery, UserDistributionQuery])),
  }),
);
const ClusteringData = Named(
  'ClusteringJobData',
  Closed({
    model_id: Id('model'),
    cluster_type: ClusterType,
    parameters: ClusterParameters,
  }),
);

const TrainingResult = Named('TrainingJobResult', Closed({ model_id: Id('model') }));
const DeploymentResult = Named('DeploymentJobResult', Closed({ serving_uri: Type.String() }));
const AnalysisResult = Named(
  'AnalysisJobResult',
  Closed({
    download_url: Type.String({ description: 'Needs no token. Each answer has a fresh one.' }),
    expired_at_sec: Type.Integer({ description: 'Seconds since the epoch at which the URL stops working.' }),
    message: Nullable(Type.String(), { description: 'What somebody who reads the result may wonder about.' }),
    chart_urls: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'SVG: a chart for each query of a distribution, in their order, or the map of the groups. Not in `/list-jobs`.',
      }),
    ),
  }),
);

const JobError = Named('JobError', Closed({ code: Type.String(), message: Type.String() }));
const JobProgress = Named(
  'JobProgress',
  Closed({
    stage: Type.String(),
    fraction: Type.Number(share),
    message: Nullable(Type.String()),
  }),
);

export const Job = Named(
  'Job',
  Closed({
    ...ref,
    job_type: JobType,
    created_ts: Ts,
    name: Name,
    job_data: Type.Union([TrainingData, DeploymentData, QueryingData, ClusteringData]),
    job_result: Nullable(Type.Union([TrainingResult, DeploymentResult, AnalysisResult]), {
      description: 'Null until SUCCEED.',
    }),
    job_status: JobStatus,
    retry_count: Type.Integer({ minimum: 0, maximum: limits.jobRetries }),
    error: Nullable(JobError),
    progress: Nullable(JobProgress),
    started_ts: Nullable(Ts),
    finished_ts: Nullable(Ts),
  }),
);
