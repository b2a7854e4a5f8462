import { Badge, type Tone } from '../../components/badge.tsx';
import { TableHead } from '../../components/table.tsx';
import { formatCount, formatNumber, formatNumberOf, formatPercent } from '../../format.ts';
import { type Experiment, type ExperimentMetric, experimentMetrics } from '../../use/experiments.ts';
import { useModels } from '../../use/models.ts';

type Result = Experiment['results'][number];
type Measure = Result['clicked'];

const fields: Readonly<Record<ExperimentMetric, 'clicked' | 'converted' | 'target_events' | 'value'>> = {
  CLICKED: 'clicked',
  CONVERTED: 'converted',
  TARGET_EVENTS: 'target_events',
  VALUE: 'value',
};

const verdicts: Readonly<Record<Result['verdict'], { tone: Tone; label: string }>> = {
  CONTROL: { tone: 'neutral', label: 'control' },
  UNDECIDED: { tone: 'neutral', label: 'undecided' },
  BETTER: { tone: 'good', label: 'better' },
  WORSE: { tone: 'bad', label: 'worse' },
  INVALID: { tone: 'bad', label: 'invalid' },
};

/** What each variant is, how many users it has, and how it differs from the control. */
export function VariantTable({ experiment }: { experiment: Experiment }) {
  const { metric, variants, results } = experiment;
  const models = useModels();
  const nameOf = (modelId: string) =>
    models.data?.find(({ model_id }) => model_id === modelId)?.name ?? modelId;
  const { label, unit } = experimentMetrics[metric];
  const format = (value: number) => (unit === 'share' ? formatPercent(value, 1) : formatNumber(value));
  return (
    <div
      className="relative overflow-x-auto border-t border-line"
      tabIndex={0}
      role="region"
      aria-label="Variants"
    >
      <table className="w-full min-w-160">
        <TableHead
          columns={[
            { title: 'Variant' },
            { title: 'Users', hint: 'measured', isNumber: true },
            { title: label, isNumber: true },
            { title: 'Compared with the control', hint: '95 % interval', isNumber: true },
            { title: 'Verdict' },
          ]}
        />
        <tbody className="divide-y divide-line">
          {results.map((result, index) => {
            const variant = variants[index];
            const measure = result[fields[metric]];
            const { tone, label: verdict } = verdicts[result.verdict];
            return (
              <tr key={result.name}>
                <th scope="row" className="max-w-72 px-4 py-2 text-left font-normal">
                  <span className="block truncate font-medium">{result.name}</span>
                  <span className="text-sm text-muted">
                    {variant && formatPercent(variant.share)} of users,{' '}
                    {variant?.model_id ? nameOf(variant.model_id) : 'the deployed model'}
                    {variant?.scenario_version ? `, version ${variant.scenario_version}` : ''}
                  </span>
                </th>
                <td className="px-2 py-2 text-right tabular-nums">
                  {formatCount(result.users)}
                  <span className="block text-xs text-muted">{formatCount(result.measured_users)}</span>
                </td>
                <td className="px-2 py-2 text-right tabular-nums">
                  {measure.rate === null ? '–' : format(measure.rate)}
                </td>
                <Difference measure={measure} unit={unit} />
                <td className="px-4 py-2">
                  <Badge tone={tone}>{verdict}</Badge>
                  {result.fallbacks > 0 && (
                    <span className="mt-1 block text-sm text-warn">
                      {formatNumberOf(result.fallbacks, 'response')} came from the deployed model instead
                    </span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** A difference of shares is in percentage points. */
function Difference({ measure, unit }: { measure: Measure; unit: 'share' | 'number' }) {
  const { difference, low, high } = measure;
  const format = (value: number) =>
    `${value > 0 ? '+' : ''}${unit === 'share' ? (value * 100).toFixed(1) : formatNumber(value)}`;
  return (
    <td className="px-2 py-2 text-right whitespace-nowrap tabular-nums">
      {difference === null ? '–' : `${format(difference)}${unit === 'share' ? ' points' : ''}`}
      {low !== null && high !== null && (
        <span className="block text-xs text-muted">
          {format(low)} to {format(high)}
        </span>
      )}
    </td>
  );
}
