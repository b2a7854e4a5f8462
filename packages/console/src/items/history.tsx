import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { History as HistoryIcon } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { eventColors } from '../charts/event-colors.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { EmptyState, QueryView } from '../components/states.tsx';
import { formatAgo, formatTime } from '../format.ts';
import { useUserEvents } from '../use/events.ts';
import { useItemLook, useItems } from '../use/items.ts';
import { projectPath, useProject } from '../use/projects.ts';
import { pictureOf, titleOf } from './describe-item.ts';
import { ItemPicture } from './item-picture.tsx';

/** So many are seen on a phone without scrolling. */
const fewEvents = 6;

interface HistoryProps {
  readonly userId: string;
  readonly highlighted: string | undefined;
  readonly onHover: (itemId: string | undefined) => void;
}

/** A user's newest events. The one behind a reason is highlighted and scrolled into view. */
export function History({ userId, highlighted, onHover }: HistoryProps) {
  const { target_event_type } = useProject();
  const look = useItemLook();
  const query = useUserEvents(userId);
  const events = useMemo(() => query.data?.pages.flatMap((page) => page.events), [query.data]);
  const items = useItems(useMemo(() => (events ?? []).map(({ item_id }) => item_id), [events]));
  const colors = eventColors(
    target_event_type,
    (events ?? []).map(({ event_type }) => event_type),
  );
  const [isWhole, setWhole] = useState(false);
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
            <EmptyState icon={HistoryIcon} title="No events yet">
              Recommendations for {userId} are based on attributes, if the user has a record, and on what is
              popular. Is the ID spelled as in your data?
            </EmptyState>
          ) : (
            <ol
              ref={list}
              // It scrolls, so it must be reachable without a mouse.
              tabIndex={0}
              aria-label="Events"
              className={clsx('overflow-y-auto p-1.5 lg:max-h-[calc(100dvh-15rem)]', !isWhole && 'max-h-80')}
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
                      <span className="line-clamp-2" title={title}>
                        {title}
                      </span>
                      <span className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
                        <span
                          aria-hidden
                          className="size-2 rounded-full ring-1 ring-ink/25"
                          style={{ background: colors.get(event.event_type) }}
                        />
                        {event.event_type}
                        {event.event_value !== 1 && <span>value {event.event_value}</span>}
                        {event.recommendation_id !== undefined && (
                          <Link
                            from={projectPath}
                            to={`${projectPath}/outcomes`}
                            search={{ recommendation: event.recommendation_id }}
                            className="text-accent-text underline"
                          >
                            recommended
                          </Link>
                        )}
                        <time
                          dateTime={new Date(event.ts).toISOString()}
                          title={formatTime(event.ts)}
                          className="ml-auto whitespace-nowrap"
                        >
                          {formatAgo(event.ts)}
                        </time>
                      </span>
                    </span>
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
      {(events?.length ?? 0) > fewEvents && (
        <p className="border-t border-line p-1 text-center lg:hidden">
          <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show fewer' : 'Show all'}
          </Button>
        </p>
      )}
    </Card>
  );
}
