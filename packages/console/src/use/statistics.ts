import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Response, Tastegraph } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';
import { useProject } from './projects.ts';

export type Statistics = Response<'getProjectStatistics'>;

const hourMs = 3600_000;
const dayMs = 24 * hourMs;

/** The time ranges that charts offer. */
export const ranges = {
  day: { label: '24 hours', interval: 'HOUR', intervals: 24 },
  month: { label: '30 days', interval: 'DAY', intervals: 30 },
  quarter: { label: '90 days', interval: 'DAY', intervals: 90 },
} as const;

export type Range = keyof typeof ranges;

/** Counts are written every ten seconds. */
const pollMs = 20_000;

export const statisticsQuery = (
  client: Tastegraph,
  accountId: string,
  project_id: string,
  range: Range,
  until?: number,
) => {
  const { interval, intervals } = ranges[range];
  return queryOptions({
    queryKey: [accountId, 'statistics', project_id, range, until ?? 'now'],
    queryFn: ({ signal }) => {
      const length = interval === 'HOUR' ? hourMs : dayMs;
      const end = until ?? Date.now();
      const since_ts = end - (end % length) - (intervals - 1) * length;
      return client.getProjectStatistics({ project_id, interval, since_ts, until_ts: until }, { signal });
    },
  });
};

/** Calls, events and records of the project in a range that ends now, or at `until`. */
export function useStatistics(range: Range, until?: number) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  return useQuery({
    ...statisticsQuery(client, account.account_id, project_id, range, until),
    refetchInterval: pollMs,
    placeholderData: keepPreviousData,
  });
}

/** The starts of all hours or days of the range, also of those in which nothing happened. */
export function intervalsOf({ since_ts, until_ts, interval }: Statistics): number[] {
  const length = interval === 'HOUR' ? hourMs : dayMs;
  return Array.from(
    { length: Math.ceil((until_ts - since_ts) / length) },
    (_, index) => since_ts + index * length,
  );
}

/** The starts of all days of the range. */
export const daysOf = (statistics: Statistics): number[] =>
  intervalsOf({
    ...statistics,
    interval: 'DAY',
    since_ts: statistics.since_ts - (statistics.since_ts % dayMs),
  });
