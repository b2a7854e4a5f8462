import { seriesColors, unassignedColor } from '@tastegraph/charts/colors';
import { IntervalSeries } from '../../charts/interval-series.tsx';
import { Card } from '../../components/card.tsx';
import { useIsDark } from '../../theme.ts';
import { type Experiment, experimentMetrics } from '../../use/experiments.ts';

/** How the difference from the control became clearer, day by day. */
export function ExperimentChart({ experiment }: { experiment: Experiment }) {
  const { days, variants, metric } = experiment;
  const colors = seriesColors(useIsDark());
  const [control, ...others] = variants;
  const { label, unit } = experimentMetrics[metric];
  return (
    <Card title="Day by day" hint="cumulative; an interval without 0 is beyond chance">
      <div className="p-4">
        <IntervalSeries
          data={{
            kind: 'history',
            of: 'days',
            label: `${label}: difference from ${control?.name ?? 'the control'}`,
            unit,
            names: days.map(({ day }) => day),
            series: others.map(({ name }, index) => ({
              name,
              color: colors[index % colors.length] ?? unassignedColor,
              values: days.map(({ variants: each }) => {
                const found = each.find((variant) => variant.name === name);
                return found && found.difference !== null && found.low !== null && found.high !== null
                  ? { value: found.difference, low: found.low, high: found.high }
                  : null;
              }),
            })),
          }}
        />
      </div>
    </Card>
  );
}
