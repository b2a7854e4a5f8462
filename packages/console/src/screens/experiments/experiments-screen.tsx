import { FlaskConical, Plus } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card, PageHeader } from '../../components/card.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { formatAgo, formatTime } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { experimentMetrics, type ListedExperiment, useExperiments } from '../../use/experiments.ts';
import { ExperimentDetails } from './experiment-details.tsx';
import { NewExperimentDialog } from './new-experiment.tsx';
import { VerdictBadge } from './verdict-badge.tsx';

/** Models and settings, compared on real users. */
export function ExperimentsScreen() {
  const experiments = useExperiments();
  const canCreate = useMay('createExperiment');
  const [isCreating, setCreating] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const newExperiment = canCreate && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden /> New experiment
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Experiments"
        hint="Two or more models or settings, compared on real users. You can look at the results at any time."
        actions={experiments.data?.length !== 0 && newExperiment}
      />
      <QueryView query={experiments} lines={6}>
        {(list) => {
          const selected = list.find(({ experiment_id }) => experiment_id === chosen) ?? list[0];
          if (!selected)
            return (
              <Card>
                <EmptyState
                  icon={<FlaskConical aria-hidden />}
                  title="No experiments yet"
                  action={newExperiment}
                >
                  The metrics of a training tell how well a model predicts. Only an experiment tells whether
                  it helps: some of your users get another model or other settings, and Tastegraph compares
                  what they do.
                </EmptyState>
              </Card>
            );
          return (
            <>
              <Card title="All experiments" className="mb-4">
                <ExperimentTable list={list} selected={selected} onSelect={setChosen} />
              </Card>
              <ExperimentDetails key={selected.experiment_id} experimentId={selected.experiment_id} />
            </>
          );
        }}
      </QueryView>
      {isCreating && <NewExperimentDialog onClose={() => setCreating(false)} onCreated={setChosen} />}
    </>
  );
}

interface TableProps {
  readonly list: readonly ListedExperiment[];
  readonly selected: ListedExperiment;
  readonly onSelect: (experimentId: string) => void;
}

function ExperimentTable({ list, selected, onSelect }: TableProps) {
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full">
        <TableHead
          columns={[
            { title: 'Experiment' },
            { title: 'Metric', isWideOnly: true },
            { title: 'Verdict' },
            { title: 'Started', isWideOnly: true },
          ]}
        />
        <tbody className="divide-y divide-line">
          {list.map((each) => (
            <tr
              key={each.experiment_id}
              className={each.experiment_id === selected.experiment_id ? 'bg-accent-soft/50' : ''}
            >
              <td className="max-w-72 px-4 py-2">
                <button
                  type="button"
                  aria-pressed={each.experiment_id === selected.experiment_id}
                  onClick={() => onSelect(each.experiment_id)}
                  className="block max-w-full truncate text-left font-medium hover:underline"
                >
                  {each.name}
                </button>
                <span className="text-sm text-muted">
                  {each.scenario}: {each.variants.map(({ name }) => name).join(', ')}
                </span>
              </td>
              <td className="px-2 py-2 max-sm:hidden">{experimentMetrics[each.metric].label}</td>
              <td className="px-2 py-2">
                <VerdictBadge verdict={each.verdict} />{' '}
                {each.state === 'RUNNING' ? <Badge tone="info">running</Badge> : <Badge>stopped</Badge>}
              </td>
              <td className="px-4 py-2 whitespace-nowrap max-sm:hidden" title={formatTime(each.created_ts)}>
                {formatAgo(each.created_ts)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
