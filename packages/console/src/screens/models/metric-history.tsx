import { seriesColors } from '@tastegraph/charts/colors';
import { useMemo, useState } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { Legend } from '../../charts/legend.tsx';
import { Card } from '../../components/card.tsx';
import { SelectField } from '../../components/field.tsx';
import { formatPercent, formatTime } from '../../format.ts';
import { useIsDark } from '../../theme.ts';
import { algorithmLabels, type Model } from '../../use/models.ts';
import { type Metric, metrics } from './metrics.ts';

/** A metric of all models, oldest first, beside that of recommending what is popular on the same data. */
export function MetricHistory({ models }: { models: readonly Model[] }) {
  const [metric, setMetric] = useState<Metric>('ndcg_at_20');
  const isDark = useIsDark();
  const oldest = useMemo(() => models.toReversed(), [models]);
  const data = useMemo(() => {
    const [, popularityColor = '', otherColor = '', , , , modelColor = ''] = seriesColors(isDark);
    const types = [...new Set(oldest.map(({ algorithm_type }) => algorithm_type))];
    return {
      kind: 'history' as const,
      label: metrics[metric],
      names: oldest.map(({ name }) => name),
      series: [
        // One line per algorithm: a step from one algorithm to another is no progress of either.
        ...types.map((type, index) => ({
          name: algorithmLabels[type],
          color: index === 0 ? modelColor : otherColor,
          values: oldest.map(({ algorithm_type, training }) =>
            algorithm_type === type ? training.metrics.model[metric] : null,
          ),
        })),
        {
          name: 'popular items, for comparison',
          color: popularityColor,
          values: oldest.map(({ training }) => training.metrics.popularity[metric]),
        },
      ],
    };
  }, [oldest, metric, isDark]);
  if (models.length < 2) return null;
  return (
    <Card
      title="Metrics over time"
      hint="with 95 % intervals"
      className="mb-4"
      actions={<SelectField label="Metric" hideLabel value={metric} choices={metrics} onChange={setMetric} />}
    >
      <div className="p-4">
        <Chart key={`${metric} ${models.length}`} data={data} className="h-64 w-full" />
        <Legend series={data.series} />
        <details className="mt-2 text-sm">
          <summary className="cursor-pointer text-muted">As a table</summary>
          <HistoryTable models={models} metric={metric} />
        </details>
      </div>
    </Card>
  );
}

function HistoryTable({ models, metric }: { models: readonly Model[]; metric: Metric }) {
  return (
    <div
      className="relative mt-2 max-h-64 overflow-auto"
      tabIndex={0}
      role="region"
      aria-label="Metrics over time"
    >
      <table className="w-full min-w-120">
        <thead className="text-left text-muted">
          <tr>
            <th scope="col" className="py-1 font-medium">
              Model
            </th>
            <th scope="col" className="px-2 font-medium">
              Algorithm
            </th>
            <th scope="col" className="px-2 font-medium">
              Trained
            </th>
            <th scope="col" className="px-2 text-right font-medium">
              {metrics[metric]}
            </th>
            <th scope="col" className="px-2 text-right font-medium">
              Popularity
            </th>
            <th scope="col" className="px-2 text-right font-medium">
              vs the last of its algorithm
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map(({ model_id, name, algorithm_type, created_ts, training }, index) => {
            const { value, low, high } = training.metrics.model[metric];
            const before = models.slice(index + 1).find((one) => one.algorithm_type === algorithm_type)
              ?.training.metrics.model[metric].value;
            return (
              <tr key={model_id}>
                <th scope="row" className="max-w-52 truncate py-1 text-left font-normal">
                  {name}
                </th>
                <td className="px-2">{algorithm_type}</td>
                <td className="px-2 whitespace-nowrap">{formatTime(created_ts)}</td>
                <td className="px-2 text-right whitespace-nowrap tabular-nums">
                  {formatPercent(value, 1)} ({formatPercent(low, 1)} to {formatPercent(high, 1)})
                </td>
                <td className="px-2 text-right tabular-nums">
                  {formatPercent(training.metrics.popularity[metric].value, 1)}
                </td>
                <td className="px-2 text-right tabular-nums">
                  {before === undefined
                    ? '–'
                    : `${value >= before ? '+' : ''}${((value - before) * 100).toFixed(1)}`}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
