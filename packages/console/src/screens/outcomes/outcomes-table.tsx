import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { TableHead } from '../../components/table.tsx';
import { formatCount, formatNumber, formatPercent } from '../../format.ts';
import { withoutRecommendation, withRecommendation } from './measures.ts';
import type { Measure, Outcomes } from './use-outcomes.ts';

interface OutcomesTableProps {
  readonly outcomes: Outcomes;
  readonly target: string;
  readonly nameOfModel: (modelId: string | null) => string;
}

/** All days together, as the service computed them. Responses and visits have tables of their own: they are different units. */
export function OutcomesTable({ outcomes, target, nameOfModel }: OutcomesTableProps) {
  const { totals, with_recommendation, without_recommendation } = outcomes;
  const rows = totals.toSorted((a, b) => a.scenario.localeCompare(b.scenario) || b.answers - a.answers);
  const sides = [
    { name: withRecommendation, visits: with_recommendation.total },
    { name: withoutRecommendation, visits: without_recommendation.total },
  ];
  return (
    <>
      <Totals
        title="Responses in total"
        columns={[
          { title: 'Scenario', hint: 'model' },
          { title: 'Responses', isNumber: true },
          { title: 'Clicked', hint: 'any event on an item', isNumber: true },
          { title: 'Converted', hint: `a ${target} event`, isNumber: true },
          { title: `${target} events`, isNumber: true },
          { title: 'Value', hint: 'sum', isNumber: true },
        ]}
      >
        {rows.map((row) => (
          <tr key={`${row.scenario} ${row.model_id} ${row.experiment_id} ${row.variant}`}>
            <th scope="row" className="max-w-72 px-4 py-2 text-left font-normal">
              <span className="flex items-baseline gap-2">
                <span className="truncate font-medium">{row.scenario}</span>
                {row.variant !== null && <Badge tone="info">{row.variant}</Badge>}
              </span>
              <span className="block truncate text-sm text-muted">{nameOfModel(row.model_id)}</span>
            </th>
            <Count value={row.answers} />
            <Rate measure={row.clicked} />
            <Rate measure={row.converted} />
            <Count value={row.target_events.total} />
            <Count value={row.value.total} isLast />
          </tr>
        ))}
      </Totals>
      <Totals
        title="Visits in total"
        columns={[
          { title: 'Visits', hint: 'a user and an item, per day' },
          { title: 'Number', isNumber: true },
          { title: 'Converted', hint: `a ${target} event`, isNumber: true },
          { title: `${target} events`, hint: 'per visit', isNumber: true },
          { title: 'Value', hint: 'per visit', isNumber: true },
        ]}
      >
        {sides.map(({ name, visits }) => (
          <tr key={name}>
            <th scope="row" className="px-4 py-2 text-left font-medium">
              {name}
            </th>
            <Count value={visits.visits} />
            <Rate measure={visits.converted} />
            <Count value={visits.target_events.rate} />
            <Count value={visits.value.rate} isLast />
          </tr>
        ))}
      </Totals>
    </>
  );
}

interface TotalsProps extends ComponentProps<typeof TableHead> {
  readonly title: string;
  readonly children: ReactNode;
}

function Totals({ title, columns, children }: TotalsProps) {
  return (
    <Card title={title} hint="95 % intervals below each share" className="mb-4">
      <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label={title}>
        <table className="w-full min-w-160">
          <TableHead columns={columns} />
          <tbody className="divide-y divide-line">{children}</tbody>
        </table>
      </div>
    </Card>
  );
}

function Count({ value, isLast = false }: { value: number | null; isLast?: boolean }) {
  return (
    <td className={clsx('py-2 text-right tabular-nums', isLast ? 'px-4' : 'px-2')}>
      {value === null ? '–' : Number.isInteger(value) ? formatCount(value) : formatNumber(value)}
    </td>
  );
}

function Rate({ measure: { rate, low, high } }: { measure: Measure }) {
  return (
    <td className="px-2 py-2 text-right whitespace-nowrap tabular-nums">
      {rate === null ? '–' : formatPercent(rate, 1)}
      {low !== null && high !== null && (
        <span className="block text-xs text-muted">
          {formatPercent(low, 1)} to {formatPercent(high, 1)}
        </span>
      )}
    </td>
  );
}
