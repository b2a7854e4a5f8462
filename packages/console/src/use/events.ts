import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAccess } from '../session/access.tsx';
import { useProject } from './projects.ts';

const pageSize = 40;

/** The newest events of a user, and older ones on demand. */
export function useUserEvents(userId: string) {
  const { client, account } = useAccess();
  const { event_dataset_id } = useProject();
  return useInfiniteQuery({
    queryKey: [account.account_id, 'events', event_dataset_id, userId],
    queryFn: ({ signal, pageParam }) =>
      client.listDatasetEvents(
        { event_dataset_id, user_id: userId, page_size: pageSize, page_token: pageParam },
        { signal },
      ),
    enabled: userId !== '',
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
  });
}

export type NewestEvents = ReadonlyMap<string, { readonly event_type: string; readonly ts: number }>;

/** The newest event with each item, among the events that the history shows. */
export function useNewestEvents(userId: string): NewestEvents {
  const { data } = useUserEvents(userId);
  return useMemo(() => {
    const events = data?.pages.flatMap((page) => page.events) ?? [];
    return new Map(events.toReversed().map((event) => [event.item_id, event]));
  }, [data]);
}
