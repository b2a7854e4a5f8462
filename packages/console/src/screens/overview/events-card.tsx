import { unassignedColor } from '@tastegraph/charts/colors';
import { CalendarDays } from 'lucide-react';
import { memo, useState } from 'react';
import { eventColors } from '../../charts/event-colors.ts';
import { SeriesChart } from '../../charts/series-chart.tsx';
import { Card } from '../../components/card.tsx';
import { RangeField } from '../../components/range-field.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { formatAgo } from '../../format.ts';
import { useTrainingCheck } from '../../use/datasets.ts';
import { useProject } from '../../use/projects.ts';
import { daysOf, type Range, ranges, type Statistics, useStatistics } from '../../use/statistics.ts';

const dayMs = 24 * 3600_000;

/** Events per day by type, by the day on which they happened. */
export const EventsCard = memo(function EventsCard() {
  const [range, setRange] = useState<Range>('month');
  const check = useTrainingCheck();
  // Of data that was imported once, the newest events may be years old.
  const last = check.data?.last_ts ?? undefined;
  const isOld = last !== undefined && last < Date.now() - ranges[range].intervals * dayMs;
  const query = useStatistics(range, isOld ? last + 1 : undefined);
  return (
    <Card
      title="Events per day"
      hint={isOld ? `up to ${formatAgo(last)}, the newest` : 'by the day they happened'}
      actions={<RangeField value={range} offered={['month', 'quarter']} onChange={setRange} />}
    >
      <QueryView query={query} lines={6}>
        {(statistics) =>
          statistics.events.length === 0 ? (
            <EmptyState
              icon={CalendarDays}
              title="No events in this time"
              action={<ScreenLink screen="data">Import events</ScreenLink>}
            >
              Import a file of past events, or send them as they happen: the code is at the end of this page.
            </EmptyState>
          ) : (
            <div className="p-4">
              <EventsChart statistics={statistics} />
            </div>
          )
        }
      </QueryView>
    </Card>
  );
});

function EventsChart({ statistics }: { statistics: Statistics }) {
  const { target_event_type } = useProject();
  const times = daysOf(statistics);
  const totals = new Map<string | null, number>();
  for (const { event_type, events } of statistics.events)
    totals.set(event_type, (totals.get(event_type) ?? 0) + events);
  const types = [...totals]
    .toSorted(([one, a], [other, b]) => Number(one === null) - Number(other === null) || b - a)
    .map(([type]) => type);
  const colors = eventColors(
    target_event_type,
    types.filter((type) => type !== null),
  );
  const counts = new Map(
    statistics.events.map(({ ts, event_type, events }) => [`${ts} ${event_type ?? ''}`, events]),
  );
  return (
    <SeriesChart
      className="h-64 w-full"
      data={{
        label: 'Events per day',
        look: 'bars',
        unit: 'count',
        interval: 'DAY',
        times,
        series: types.map((type) => ({
          name: type ?? 'Other types',
          color: colors.get(type ?? '') ?? unassignedColor,
          values: times.map((ts) => counts.get(`${ts} ${type ?? ''}`) ?? 0),
        })),
      }}
    />
  );
}
