import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError } from '@tastegraph/sdk';
import { formatCount, formatNumberOf } from '../../format.ts';
import { useAccess } from '../../session/access.tsx';
import { searchRetryMs } from '../../use/items.ts';
import { useProject } from '../../use/projects.ts';
import { useSettled } from '../../use-settled.ts';

/** How many items match a filter, of how many. Nothing while it is wrong: the field says what is. */
export function MatchCount({ filter }: { filter: string }) {
  const settled = useSettled(filter.trim());
  const matching = useCount(settled);
  const all = useCount('');
  if (matching.error)
    return matching.error instanceof ApiError && matching.error.status === 400 ? null : (
      <p className="text-sm text-muted">The matching items could not be counted.</p>
    );
  const { data } = matching;
  const count = data && `${data.is_complete ? '' : 'at least '}${formatNumberOf(data.match_count, 'item')}`;
  return (
    <p role="status" className="text-sm text-muted">
      {count === undefined
        ? 'Counting…'
        : settled === ''
          ? `No filter: all ${count} may be recommended.`
          : `${count} of ${formatCount(all.data?.match_count ?? 0)} match.`}
    </p>
  );
}

function useCount(filter_query: string) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'match-count', project_id, filter_query],
    queryFn: ({ signal }) =>
      client.findItems(
        { project_id, limit: 0, ...(filter_query === '' ? {} : { filter_query }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    refetchInterval: ({ state }) => searchRetryMs(state.data?.is_complete, state.dataUpdateCount),
  });
}
