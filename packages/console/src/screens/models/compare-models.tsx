import clsx from 'clsx';
import { GitCompareArrows } from 'lucide-react';
import { useState } from 'react';
import { DialogButton } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { TableHead } from '../../components/table.tsx';
import { formatAgo, formatCount, formatSeconds } from '../../format.ts';
import { type Estimate, type Metric, type Model, metrics } from '../../use/models.ts';
import { IntervalChart } from './interval-chart.tsx';

/** A button that shows two models side by side: metrics, data, parameters, and what was left out. */
export function CompareModels({ models, selected }: { models: readonly Model[]; selected: Model }) {
  if (models.length < 2) return null;
  return (
    <DialogButton
      icon={<GitCompareArrows aria-hidden />}
      label="Compare"
      look="plain"
      title="Compare models"
      description="What is different is in bold. Metrics of different data are only roughly comparable."
      wide
    >
      {() => <Comparison models={models} first={selected} />}
    </DialogButton>
  );
}

function Comparison({ models, first }: { models: readonly Model[]; first: Model }) {
  const [oneId, setOne] = useState(first.model_id);
  const [otherId, setOther] = useState(() => {
    const index = models.indexOf(first);
    return (models[index + 1] ?? models[index - 1] ?? first).model_id;
  });
  const choices = models.map(
    ({ model_id, name, created_ts }) => [model_id, `${name}, ${formatAgo(created_ts)}`] as const,
  );
  const find = (id: string) => models.find(({ model_id }) => model_id === id) ?? first;
  const [one, other] = [find(oneId), find(otherId)];
  const labelOf = (model: Model) => (one.name === other.name ? formatAgo(model.created_ts) : model.name);
  return (
    <div className="space-y-4">
      <div className="grid grid-cols-2 gap-3">
        <SelectField label="Model" choices={choices} value={oneId} onChange={setOne} />
        <SelectField label="Compared with" choices={choices} value={otherId} onChange={setOther} />
      </div>
      {(Object.keys(metrics) as Metric[]).map((metric) => {
        const { model, popularity } = one.training.metrics;
        const second = other.training.metrics.model[metric];
        return (
          <IntervalChart
            key={metric}
            title={metrics[metric]}
            hint={describeGap(model[metric], second)}
            lines={[
              { label: labelOf(one), estimate: model[metric], isMain: true },
              { label: `${labelOf(other)}${one === other ? ' (same)' : ''}`, estimate: second, isMain: true },
              { label: 'Popularity', estimate: popularity[metric], isMain: false },
            ]}
          />
        );
      })}
      <Differences one={one} other={other} labels={[labelOf(one), labelOf(other)]} />
    </div>
  );
}

/** Whether the intervals are apart. */
function describeGap(one: Estimate, other: Estimate): string {
  if (one.low > other.high) return 'clearly higher';
  return one.high < other.low ? 'clearly lower' : 'no clear difference';
}

const show = (value: unknown): string => {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'number') return formatCount(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

function rowsOf({ algorithm_type, created_ts, training }: Model): Map<string, string> {
  const { data, seconds, chosen_parameters, left_out } = training;
  return new Map([
    ['Algorithm', algorithm_type],
    ['Trained', formatAgo(created_ts)],
    ['Events', formatCount(data.events)],
    ['Target events', formatCount(data.target_events)],
    ['Users', formatCount(data.users)],
    ['Items', formatCount(data.items)],
    ['Event types', data.event_types.join(', ')],
    ['Took', formatSeconds(seconds.read + seconds.search + seconds.fit + seconds.write)],
    ...Object.entries(chosen_parameters).map(([name, value]) => [name, show(value)] as const),
    ...left_out.map(({ what, count }) => [`Left out: ${what}`, formatCount(count)] as const),
  ]);
}

function Differences({ one, other, labels }: { one: Model; other: Model; labels: [string, string] }) {
  const [first, second] = [rowsOf(one), rowsOf(other)];
  const names = [...new Set([...first.keys(), ...second.keys()])];
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full min-w-100">
        <TableHead
          columns={[
            { title: 'What', padding: 'px-0' },
            { title: `1. ${labels[0]}`, isNumber: true },
            { title: `2. ${labels[1]}`, isNumber: true, padding: 'pl-2' },
          ]}
        />
        <tbody className="divide-y divide-line">
          {names.map((name) => {
            const [a, b] = [first.get(name) ?? '–', second.get(name) ?? '–'];
            const cell = clsx(
              'max-w-52 py-1.5 pl-2 text-right break-words tabular-nums',
              a !== b && 'font-semibold',
            );
            return (
              <tr key={name}>
                <th scope="row" className="py-1.5 text-left font-normal text-muted">
                  {name}
                </th>
                <td className={cell}>{a}</td>
                <td className={cell}>{b}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
