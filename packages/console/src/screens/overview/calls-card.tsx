import { seriesColors } from '@tastegraph/charts/colors';
import { Radio } from 'lucide-react';
import { memo, useState } from 'react';
import { SeriesChart } from '../../charts/series-chart.tsx';
import { Card } from '../../components/card.tsx';
import { RangeField } from '../../components/range-field.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { formatCompact, formatCount, formatPercent } from '../../format.ts';
import { useIsDark } from '../../theme.ts';
import { useProject } from '../../use/projects.ts';
import { intervalsOf, type Range, type Statistics, useStatistics } from '../../use/statistics.ts';

/** Recommendation calls: how many, how fast, and what went wrong. */
export const CallsCard = memo(function CallsCard() {
  const [range, setRange] = useState<Range>('day');
  const query = useStatistics(range);
  return (
    <Card title="Calls" actions={<RangeField value={range} onChange={setRange} />}>
      <QueryView query={query} lines={6}>
        {(statistics) => (statistics.total.calls === 0 ? <NoCalls /> : <Calls statistics={statistics} />)}
      </QueryView>
    </Card>
  );
});

function NoCalls() {
  const { deployment } = useProject();
  return (
    <EmptyState
      icon={Radio}
      title="No calls in this time"
      action={
        deployment ? (
          <ScreenLink screen="playground">Copy a call from the playground</ScreenLink>
        ) : (
          <ScreenLink screen="models">Deploy a model</ScreenLink>
        )
      }
    >
      {deployment
        ? 'Calls appear here a few seconds after they were answered.'
        : 'Once a model is deployed, your application can ask for recommendations. Its calls are counted here.'}
    </EmptyState>
  );
}

function Calls({ statistics }: { statistics: Statistics }) {
  const isDark = useIsDark();
  const { total, interval } = statistics;
  const times = intervalsOf(statistics);
  const byTime = new Map(statistics.calls.map((one) => [one.ts, one]));
  const errors = total.client_errors + total.server_errors;
  const valuesOf = (pick: (one: Statistics['calls'][number]) => number) =>
    times.map((ts) => {
      const found = byTime.get(ts);
      return found ? pick(found) : 0;
    });
  const failed = (one: Statistics['calls'][number]) => one.client_errors + one.server_errors + one.refused;
  const [, failedColor = '', degradedColor = '', , answeredColor = ''] = seriesColors(isDark);
  return (
    <div className="space-y-4 p-4">
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(5.5rem,1fr))] gap-2">
        <Tile
          name="Calls"
          value={formatCompact(total.calls)}
          title={formatCount(total.calls)}
          hint="in this time"
        />
        <Tile
          name="Errors"
          value={formatPercent(errors / total.calls, errors > 0 ? 2 : 0)}
          hint="invalid or failed"
        />
        <Tile name="Refused" value={formatCompact(total.refused)} hint="over the limit" />
        <Tile
          name="p99"
          hint="99 % are faster"
          value={total.p99_ms === null ? '–' : `${formatCompact(Math.round(total.p99_ms))} ms`}
        />
        <Tile name="Degraded" value={formatCompact(total.degraded)} hint="without a part" />
      </dl>
      <SeriesChart
        data={{
          label: `Calls per ${interval === 'HOUR' ? 'hour' : 'day'}`,
          look: 'bars',
          unit: 'count',
          interval,
          times,
          series: [
            {
              name: 'Answered in full',
              color: answeredColor,
              values: valuesOf((one) => one.calls - failed(one) - one.degraded),
            },
            { name: 'Degraded', color: degradedColor, values: valuesOf((one) => one.degraded) },
            { name: 'Failed or refused', color: failedColor, values: valuesOf(failed) },
          ],
        }}
      />
      <SeriesChart
        className="h-36 w-full"
        data={{
          label: 'Response time, 99th percentile',
          look: 'lines',
          unit: 'ms',
          interval,
          times,
          series: [
            {
              name: 'p99',
              color: answeredColor,
              values: times.map((ts) => byTime.get(ts)?.p99_ms ?? null),
            },
          ],
        }}
      />
    </div>
  );
}

function Tile(props: { name: string; value: string; hint: string; title?: string }) {
  const { name, value, hint, title } = props;
  return (
    <div className="rounded-md bg-sunken px-3 py-2">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="text-xl font-semibold tracking-tight whitespace-nowrap tabular-nums" title={title}>
        {value}
        <span className="block text-xs font-normal tracking-normal whitespace-normal text-muted">{hint}</span>
      </dd>
    </div>
  );
}
