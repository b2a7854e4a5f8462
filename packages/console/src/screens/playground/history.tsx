import { useInfiniteQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { History as HistoryIcon } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { formatAgo, formatTime } from '../../format.ts';
import { pictureOf, titleOf } from '../../items/describe-item.ts';
import { ItemPicture } from '../../items/item-picture.tsx';
import { useItemLook, useItems } from '../../items/use-items.ts';
import { useProject } from '../../projects/project-context.ts';
import { useAccess } from '../../session/access.tsx';
import { eventColors } from './event-color.ts';

const pageSize = 40;

interface HistoryProps {
  readonly userId: string;
  readonly highlighted: string | undefined;
  readonly onHover: (itemId: string | undefined) => void;
}

/** A user's newest events. The one behind a reason is highlighted and scrolled into view. */
export function History({ userId, highlighted, onHover }: HistoryProps) {
  const { client, account } = useAccess();
  const { event_dataset_id, target_event_type } = useProject();
  const look = useItemLook();
  const query = useInfiniteQuery({
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
  const events = useMemo(() => query.data?.pages.flatMap((page) => page.events), [query.data]);
  const items = useItems(useMemo(() => (events ?? []).map(({ item_id }) => item_id), [events]));
  const colors = eventColors(
    target_event_type,
    (events ?? []).map(({ event_type }) => event_type),
  );
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (highlighted === undefined) return;
    list.current?.querySelector('[data-highlighted="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [highlighted]);
  return (
    <Card title="History" hint="newest first" aria-label="History" className="flex min-h-0 flex-col">
      <QueryView query={{ ...query, data: events }} lines={8}>
        {(shown) =>
          shown.length === 0 ? (
            <EmptyState icon={<HistoryIcon aria-hidden />} title="No events yet">
              Recommendations for {userId} are based on attributes and popularity, until the first event
              arrives.
            </EmptyState>
          ) : (
            <ol
              ref={list}
              // It scrolls, so it must be reachable without a mouse.
              tabIndex={0}
              aria-label="Events"
              className="max-h-80 overflow-y-auto p-1.5 lg:max-h-[calc(100dvh-15rem)]"
            >
              {shown.map((event) => {
                const attributes = items.get(event.item_id) ?? {};
                const title = titleOf(event.item_id, attributes, look);
                return (
                  <li
                    key={event.event_id}
                    data-highlighted={event.item_id === highlighted}
                    onMouseEnter={() => onHover(event.item_id)}
                    onMouseLeave={() => onHover(undefined)}
                    className={clsx(
                      'flex items-center gap-2.5 rounded-md border-l-3 px-2 py-1.5',
                      event.item_id === highlighted
                        ? 'border-highlight-line bg-highlight'
                        : 'border-transparent',
                    )}
                  >
                    <ItemPicture src={pictureOf(attributes, look)} title={title} className="size-8" />
                    <span className="min-w-0 flex-1">
                      <span className="block truncate" title={title}>
                        {title}
                      </span>
                      <span className="flex items-center gap-1.5 text-xs text-muted">
                        <span
                          aria-hidden
                          className="size-2 rounded-full"
                          style={{ background: colors.get(event.event_type) }}
                        />
                        {event.event_type}
                        {event.event_value !== 1 && <> · {event.event_value}</>}
                      </span>
                    </span>
                    <time
                      className="shrink-0 text-xs text-muted"
                      dateTime={new Date(event.ts).toISOString()}
                      title={formatTime(event.ts)}
                    >
                      {formatAgo(event.ts)}
                    </time>
                  </li>
                );
              })}
              {query.hasNextPage && (
                <li className="p-2 text-center">
                  <Button
                    look="quiet"
                    onClick={() => void query.fetchNextPage()}
                    disabled={query.isFetchingNextPage}
                  >
                    Show older events
                  </Button>
                </li>
              )}
            </ol>
          )
        }
      </QueryView>
    </Card>
  );
}
