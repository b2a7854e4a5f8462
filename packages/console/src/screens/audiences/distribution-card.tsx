import { useMemo, useState } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { FiguresTable } from '../../charts/figures-table.tsx';
import { Card } from '../../components/card.tsx';
import { Field, SelectField } from '../../components/field.tsx';
import { formatCount, formatNumberOf, formatPercent } from '../../format.ts';
import { DownloadLink } from './download-link.tsx';
import { NewList } from './new-list.tsx';
import type { Distribution } from './read-result.ts';

interface DistributionCardProps {
  readonly distributions: readonly Distribution[];
  readonly chartUrls: readonly string[];
  readonly modelId: string | undefined;
}

/** One of the distributions of a job, and a range of it to list the users of. */
export function DistributionCard({ distributions, chartUrls, modelId }: DistributionCardProps) {
  const [index, setIndex] = useState(0);
  const [from, setFrom] = useState(0);
  const [to, setTo] = useState(1);
  const distribution = distributions[index] ?? distributions[0];
  const data = useMemo(
    () =>
      distribution && {
        kind: 'distribution' as const,
        value: String(distribution.value),
        edges: distribution.edges,
        counts: distribution.counts,
        users: distribution.user_count,
        from,
        to,
      },
    [distribution, from, to],
  );
  if (!distribution || !data) return null;
  const { attribute, value, edges, counts, user_count } = distribution;
  const within = counts.reduce(
    (sum, count, bin) =>
      (edges[bin] ?? 0) >= from - 1e-9 && (edges[bin + 1] ?? 1) <= to + 1e-9 ? sum + count : sum,
    0,
  );
  const chartUrl = chartUrls[index];
  return (
    <Card
      title={`${attribute}: ${String(value)}`}
      hint={formatNumberOf(user_count, 'user')}
      actions={chartUrl !== undefined && <DownloadLink url={chartUrl}>Chart as SVG</DownloadLink>}
    >
      <div className="space-y-4 p-4">
        <div className="flex flex-wrap items-end gap-3">
          {distributions.length > 1 && (
            <SelectField
              label="Value"
              className="w-56"
              value={String(index)}
              choices={distributions.map((one, position) => [String(position), String(one.value)] as const)}
              onChange={(position) => setIndex(Number(position))}
            />
          )}
          <PercentField label="From (%)" value={from} onChange={setFrom} />
          <PercentField label="To (%)" value={to} onChange={setTo} />
          <p className="h-8 leading-8 text-muted">about {formatNumberOf(within, 'user')}</p>
          <div className="ml-auto">
            <NewList
              start={{ attribute, value: String(value), from: toPercent(from), to: toPercent(to) }}
              modelId={modelId}
              label="List these users"
            />
          </div>
        </div>
        {distribution.message !== undefined && <p className="text-warn">{distribution.message}</p>}
        <Chart
          key={`${attribute} ${String(value)}`}
          data={data}
          canZoom
          className="h-80 w-full"
          onPick={({ index: bin }) => {
            setFrom(edges[bin] ?? 0);
            setTo(1);
          }}
        />
        <p className="text-sm text-muted">
          Each bar is the number of users. Click one to choose the users with at least this affinity.
        </p>
        <BinTable distribution={distribution} />
      </div>
    </Card>
  );
}

const toPercent = (share: number) => String(Math.round(share * 1000) / 10);

function PercentField(props: { label: string; value: number; onChange: (share: number) => void }) {
  const { label, value, onChange } = props;
  return (
    <Field
      label={label}
      className="w-24"
      type="number"
      min={0}
      max={100}
      step="any"
      value={toPercent(value)}
      onChange={(text) => onChange(Math.min(1, Math.max(0, Number(text) / 100)))}
    />
  );
}

function BinTable({ distribution: { edges, counts, user_count } }: { distribution: Distribution }) {
  return (
    <details className="max-w-md">
      <summary className="cursor-pointer font-medium">As a table</summary>
      <FiguresTable
        label="Bins"
        heading="Affinity"
        columns={['Users', 'Share']}
        rows={counts.map((count, bin) => ({
          id: edges[bin] ?? bin,
          title: `${formatPercent(edges[bin] ?? 0, 1)} to ${formatPercent(edges[bin + 1] ?? 1, 1)}`,
          figures: [formatCount(count), formatPercent(count / (user_count || 1), 1)],
        }))}
      />
    </details>
  );
}
