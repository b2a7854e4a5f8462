import { seriesColors } from '@tastegraph/charts/colors';
import { useMemo, useState } from 'react';
import { Chart } from '../../charts/chart.tsx';
import { FiguresTable } from '../../charts/figures-table.tsx';
import { Legend } from '../../charts/legend.tsx';
import { Card } from '../../components/card.tsx';
import { SelectField } from '../../components/field.tsx';
import { formatPercent, formatTime } from '../../format.ts';
import { useIsDark } from '../../theme.ts';
import { algorithmLabels, type Metric, type Model, metrics } from '../../use/models.ts';

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
    <FiguresTable
      label="Metrics over time"
      heading="Model"
      columns={['Algorithm', 'Trained', metrics[metric], 'Popularity', 'vs the last of its algorithm']}
      texts={['Algorithm', 'Trained']}
      rows={models.map(({ model_id, name, algorithm_type, created_ts, training }, index) => {
        const { value, low, high } = training.metrics.model[metric];
        const earlier = models.slice(index + 1).find((one) => one.algorithm_type === algorithm_type);
        const change = earlier && value - earlier.training.metrics.model[metric].value;
        return {
          id: model_id,
          title: name,
          figures: [
            algorithm_type,
            formatTime(created_ts),
            `${formatPercent(value, 1)} (${formatPercent(low, 1)} to ${formatPercent(high, 1)})`,
            formatPercent(training.metrics.popularity[metric].value, 1),
            change === undefined ? '–' : `${change >= 0 ? '+' : ''}${(change * 100).toFixed(1)}`,
          ],
        };
      })}
    />
  );
}
