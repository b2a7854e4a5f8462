import clsx from 'clsx';
import { GitCompareArrows } from 'lucide-react';
import { useState } from 'react';
import { DialogButton } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { TableHead } from '../../components/table.tsx';
import { formatAgo, formatCount, formatSeconds } from '../../format.ts';
import type { Model } from '../../use/models.ts';
import { IntervalChart } from './interval-chart.tsx';
import { type Metric, metrics } from './metrics.ts';

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
  const find = (id: string) => models.find(({ model_id }) => model_id === id) ?? first;
  const [one, other] = [find(oneId), find(otherId)];
  const labelOf = (model: Model) => (one.name === other.name ? formatAgo(model.created_ts) : model.name);
  return (
    <div className="space-y-4">
      <div className="grid grid-cols-2 gap-3">
        <Choice label="Model" models={models} value={oneId} onChange={setOne} />
        <Choice label="Compared with" models={models} value={otherId} onChange={setOther} />
      </div>
      {Object.entries(metrics).map(([metric, label]) => (
        <IntervalChart
          key={metric}
          title={label}
          hint={describeGap(one, other, metric as Metric)}
          lines={[
            {
              label: labelOf(one),
              estimate: one.training.metrics.model[metric as Metric],
              isMain: true,
            },
            {
              label: `${labelOf(other)}${one === other ? ' (same)' : ''}`,
              estimate: other.training.metrics.model[metric as Metric],
              isMain: true,
            },
            {
              label: 'Popularity',
              estimate: one.training.metrics.popularity[metric as Metric],
              isMain: false,
            },
          ]}
        />
      ))}
      <Differences one={one} other={other} labels={[labelOf(one), labelOf(other)]} />
    </div>
  );
}

function Choice(props: {
  label: string;
  models: readonly Model[];
  value: string;
  onChange: (modelId: string) => void;
}) {
  const { label, models, value, onChange } = props;
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {models.map(({ model_id, name, created_ts }) => (
        <option key={model_id} value={model_id}>
          {name}, {formatAgo(created_ts)}
        </option>
      ))}
    </SelectField>
  );
}

/** Whether the intervals are apart. */
function describeGap(one: Model, other: Model, metric: Metric): string {
  const [a, b] = [one.training.metrics.model[metric], other.training.metrics.model[metric]];
  if (a.low > b.high) return 'clearly higher';
  return a.high < b.low ? 'clearly lower' : 'no clear difference';
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
