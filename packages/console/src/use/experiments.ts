import { useQuery } from '@tanstack/react-query';
import type { Request, Response } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';
import { useChange } from './change.ts';
import { useProject } from './projects.ts';

export type ListedExperiment = Response<'listExperiments'>['experiments'][number];
export type Experiment = Response<'getExperiment'>;
export type NewExperiment = Omit<Request<'createExperiment'>, 'project_id'>;
export type ExperimentMetric = ListedExperiment['metric'];

const shownExperiments = 50;
/** Workers measure every few minutes. */
const pollMs = 30_000;

/** What decides, in words. */
export const experimentMetrics: Readonly<
  Record<ExperimentMetric, { label: string; unit: 'share' | 'number' }>
> = {
  CLICKED: { label: 'Users who clicked', unit: 'share' },
  CONVERTED: { label: 'Users with a target event', unit: 'share' },
  TARGET_EVENTS: { label: 'Target events per user', unit: 'number' },
  VALUE: { label: 'Value per user', unit: 'number' },
};

/** The newest experiments of the project. */
export function useExperiments() {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'experiments', project_id],
    queryFn: async ({ signal }) =>
      (await client.listExperiments({ project_id, page_size: shownExperiments }, { signal })).experiments,
    refetchInterval: pollMs,
  });
}

export function useExperiment(experiment_id: string) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'experiments', project_id, experiment_id],
    queryFn: ({ signal }) => client.getExperiment({ project_id, experiment_id }, { signal }),
    refetchInterval: pollMs,
  });
}

/** A promoted variant changes the deployment or the scenario. */
const staleIn = (project_id: string) =>
  ['experiments', 'project', 'scenarios'].map((part) => [part, project_id]);

export function useCreateExperiment() {
  const { project_id } = useProject();
  return useChange(
    (client, experiment: NewExperiment) => client.createExperiment({ project_id, ...experiment }),
    staleIn(project_id),
  );
}

export function useStopExperiment() {
  const { project_id } = useProject();
  return useChange(
    (client, stop: { experiment_id: string; promote?: string | undefined }) =>
      client.stopExperiment({ project_id, ...stop }),
    staleIn(project_id),
  );
}
