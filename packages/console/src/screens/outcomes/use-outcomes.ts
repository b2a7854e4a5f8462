import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Response } from '@tastegraph/sdk';
import { useAccess } from '../../session/access.tsx';
import { useProject } from '../../use/projects.ts';

export type Outcomes = Response<'getOutcomes'>;
export type Outcome = Outcomes['totals'][number];
export type Measure = Outcome['clicked'];
export type GivenRecommendation = Response<'getRecommendation'>;

const dayMs = 24 * 3600_000;
/** Events are attributed every two minutes. */
const pollMs = 30_000;

/** What followed the responses of the last days, all scenarios. */
export function useOutcomes(days: number) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'outcomes', project_id, days],
    queryFn: ({ signal }) => {
      const today = Date.now() - (Date.now() % dayMs);
      return client.getOutcomes({ project_id, since_ts: today - (days - 1) * dayMs }, { signal });
    },
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
}

/** One response as it was given. */
export function useRecommendation(recommendation_id: string) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'recommendation', project_id, recommendation_id],
    queryFn: ({ signal }) => client.getRecommendation({ project_id, recommendation_id }, { signal }),
    retry: false,
  });
}
