import { seriesColors, unassignedColor } from '@tastegraph/charts/colors';
import { useState } from 'react';
import { IntervalSeries } from '../../charts/interval-series.tsx';
import { Card } from '../../components/card.tsx';
import { labelsOf, SelectField } from '../../components/field.tsx';
import { useIsDark } from '../../theme.ts';
import {
  dailySeries,
  type Grouping,
  groupings,
  isPerVisit,
  type MeasureName,
  measures,
  withoutRecommendation,
} from './measures.ts';
import type { Outcome, Outcomes } from './use-outcomes.ts';

interface OutcomesChartProps {
  readonly outcomes: Outcomes;
  readonly nameOfModel: (modelId: string | null) => string;
}

/** A rate by day: per response, or per visit with and without a recommendation. */
export function OutcomesChart({ outcomes, nameOfModel }: OutcomesChartProps) {
  const [measure, setMeasure] = useState<MeasureName>('clicked');
  const [grouping, setGrouping] = useState<Grouping>('scenario');
  const colors = seriesColors(useIsDark());
  const names: Readonly<Record<Grouping, (outcome: Outcome) => string>> = {
    scenario: ({ scenario }) => scenario,
    model: ({ model_id }) => nameOfModel(model_id),
    variant: ({ variant }) => variant ?? 'no experiment',
  };
  const { days, series } = dailySeries(outcomes, measure, names[grouping]);
  const { label, unit } = measures[measure];
  return (
    <Card
      title="Over time"
      className="mb-4"
      actions={
        <>
          <SelectField
            label="Measure"
            hideLabel
            value={measure}
            choices={labelsOf(measures)}
            onChange={setMeasure}
          />
          {!isPerVisit(measure) && (
            <SelectField
              label="Lines"
              hideLabel
              value={grouping}
              choices={groupings}
              onChange={setGrouping}
            />
          )}
        </>
      }
    >
      <div className="p-4">
        <IntervalSeries
          data={{
            kind: 'history',
            of: 'days',
            label,
            unit,
            names: days,
            series: series.map(({ name, values }, index) => ({
              name,
              values,
              color:
                name === withoutRecommendation
                  ? unassignedColor
                  : (colors[index % colors.length] ?? unassignedColor),
            })),
          }}
        />
      </div>
    </Card>
  );
}
