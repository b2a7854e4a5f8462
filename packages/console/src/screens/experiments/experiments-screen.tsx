import { FlaskConical, Plus } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card, PageHeader } from '../../components/card.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { Table, timeColumn } from '../../components/table.tsx';
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
                <EmptyState icon={FlaskConical} title="No experiments yet" action={newExperiment}>
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
    <Table
      rows={list}
      keyOf={({ experiment_id }) => experiment_id}
      isSelected={({ experiment_id }) => experiment_id === selected.experiment_id}
      columns={[
        {
          title: 'Experiment',
          className: 'max-w-72',
          cell: ({ experiment_id, name, scenario, variants }) => (
            <>
              <button
                type="button"
                aria-pressed={experiment_id === selected.experiment_id}
                onClick={() => onSelect(experiment_id)}
                className="block max-w-full truncate text-left font-medium hover:underline"
              >
                {name}
              </button>
              <span className="text-sm text-muted">
                {scenario}: {variants.map((variant) => variant.name).join(', ')}
              </span>
            </>
          ),
        },
        { title: 'Metric', isWideOnly: true, cell: ({ metric }) => experimentMetrics[metric].label },
        {
          title: 'Verdict',
          cell: ({ verdict, state }) => (
            <>
              <VerdictBadge verdict={verdict} />{' '}
              {state === 'RUNNING' ? <Badge tone="info">running</Badge> : <Badge>stopped</Badge>}
            </>
          ),
        },
        { ...timeColumn('Started', 'created_ts'), isWideOnly: true },
      ]}
    />
  );
}
