import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Request, Response, Tastegraph } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';
import { useSubmit } from './jobs.ts';
import { useProject } from './projects.ts';

export type Model = Response<'listModels'>['models'][number];
export type Estimate = Model['training']['metrics']['model']['ndcg_at_20'];

const shownModels = 50;

export const modelsQuery = (client: Tastegraph, accountId: string, project_id: string) =>
  queryOptions({
    queryKey: [accountId, 'models', project_id],
    queryFn: async ({ signal }) =>
      (await client.listModels({ project_id, page_size: shownModels }, { signal })).models,
  });

/** The newest models of the project. */
export function useModels() {
  const { client, account } = useAccess();
  return useQuery(modelsQuery(client, account.account_id, useProject().project_id));
}

export type AlgorithmType = Response<'getAlgorithm'>['algorithm_type'];

/** What an algorithm does, in a word. */
export const algorithmLabels: Readonly<Record<AlgorithmType, string>> = {
  G1: 'personal (G1)',
  POPULAR: 'what is popular (POPULAR)',
};

interface NewTraining {
  readonly algorithmType: AlgorithmType;
  readonly name: string;
  /** The newest events that are left out, for a guard to compare on. */
  readonly holdoutHours?: number | undefined;
}

/** The newest algorithm of a type whose parameters training chooses. */
async function findAlgorithm(client: Tastegraph, project_id: string, type: AlgorithmType) {
  const { algorithms } = await client.listAlgorithms({ project_id });
  return algorithms.find(
    (one) => one.algorithm_type === type && Object.keys(one.algorithm_parameters).length === 0,
  );
}

/** What a training of the type would find, and take. Undefined if the project has no algorithm of the type, which cannot be checked then. */
export function useAlgorithmCheck(type: AlgorithmType) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'check', project_id, type],
    queryFn: async ({ signal }) => {
      const algorithm = await findAlgorithm(client, project_id, type);
      if (!algorithm && type !== defaultType) return null;
      return client.checkTraining({ project_id, algorithm_id: algorithm?.algorithm_id }, { signal });
    },
    staleTime: 60_000,
  });
}

/** What `/check-training` checks without an algorithm. */
const defaultType: AlgorithmType = 'G1';

/** Trains with the newest algorithm of a type, and creates one whose parameters training chooses if there is none. */
export function useTrain() {
  const { project_id } = useProject();
  return useSubmit(async (client, { algorithmType, name, holdoutHours }: NewTraining) => {
    const { algorithm_id } =
      (await findAlgorithm(client, project_id, algorithmType)) ??
      (await client.createAlgorithm({
        project_id,
        name: algorithmType,
        algorithm_type: algorithmType,
        algorithm_parameters: {},
      }));
    return client.submitTrainingJob({ project_id, algorithm_id, name, holdout_hours: holdoutHours });
  });
}

type Guard = NonNullable<Request<'submitDeploymentJob'>['guard']>;

interface NewDeployment {
  readonly model: Model;
  /** Calls per second. */
  readonly qps: number;
  readonly guard: Guard | undefined;
}

export function useDeploy() {
  const { project_id } = useProject();
  return useSubmit((client, { model, qps, guard }: NewDeployment) =>
    client.submitDeploymentJob({
      project_id,
      name: `Deploy ${model.name}`.slice(0, 200),
      generator_model_id: model.model_id,
      qps,
      guard,
    }),
  );
}

/** Returns to the models that were deployed before. */
export function useRollback() {
  const { client, account } = useAccess();
  const queryClient = useQueryClient();
  const { project_id } = useProject();
  return useMutation({
    mutationFn: () => client.rollbackDeployment({ project_id }),
    onSuccess: (project) => queryClient.setQueryData([account.account_id, 'project', project_id], project),
  });
}

/** The metrics that all models have. */
export const metrics = { ndcg_at_20: 'NDCG@20', recall_at_20: 'Recall@20', coverage: 'Coverage' } as const;

export type Metric = keyof typeof metrics;

/** How much better than recommending the most popular items to everyone. */
export function liftOf({ training }: Model): number | undefined {
  const { model, popularity } = training.metrics;
  return popularity.ndcg_at_20.value > 0 ? model.ndcg_at_20.value / popularity.ndcg_at_20.value : undefined;
}
