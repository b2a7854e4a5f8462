import { Rocket } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { type Column, Table, timeColumn } from '../../components/table.tsx';
import { formatAgo, formatPercent } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { isActive, useJobs } from '../../use/jobs.ts';
import { algorithmLabels, liftOf, type Metric, type Model } from '../../use/models.ts';
import { useProject } from '../../use/projects.ts';
import { DeployDialog } from './deploy-dialog.tsx';

interface ModelTableProps {
  readonly models: readonly Model[];
  readonly selectedId: string;
  readonly onSelect: (modelId: string) => void;
}

/** Newest first, each with its metrics. The selected one is shown in full below. */
export function ModelTable({ models, selectedId, onSelect }: ModelTableProps) {
  const { deployment } = useProject();
  const canDeploy = useMay('submitDeploymentJob');
  const jobs = useJobs();
  const { dialog, show } = useDialog();
  const isDeploying = jobs.data?.some((job) => job.job_type === 'DEPLOYMENT' && isActive(job)) ?? false;
  const deploymentOf = (model: Model) => {
    if (deployment?.generator_model_id === model.model_id) return <Badge tone="good">deployed</Badge>;
    return (
      canDeploy && (
        <Button
          onClick={() => show((close) => <DeployDialog model={model} onClose={close} />)}
          disabled={isDeploying}
          aria-label={`Deploy ${model.name}`}
        >
          <Rocket aria-hidden /> Deploy
        </Button>
      )
    );
  };
  return (
    <>
      <Table
        rows={models}
        keyOf={({ model_id }) => model_id}
        isSelected={({ model_id }) => model_id === selectedId}
        className="sm:min-w-180"
        columns={[
          {
            title: 'Model',
            className: 'max-w-72',
            cell: ({ model_id, name, algorithm_type, created_ts }) => (
              <>
                <button
                  type="button"
                  aria-pressed={model_id === selectedId}
                  onClick={() => onSelect(model_id)}
                  className="block max-w-full truncate text-left font-medium hover:underline"
                >
                  {name}
                </button>
                <span className="text-sm text-muted">
                  {algorithmLabels[algorithm_type]}
                  <span className="sm:hidden">, {formatAgo(created_ts)}</span>
                </span>
              </>
            ),
          },
          metricColumn('NDCG@20', 'right items near the top', 'ndcg_at_20'),
          { ...metricColumn('Recall@20', 'right items among 20', 'recall_at_20'), isWideOnly: true },
          { ...metricColumn('Coverage', 'of all items', 'coverage'), isWideOnly: true },
          {
            title: 'vs popularity',
            hint: 'NDCG@20',
            isNumber: true,
            className: 'whitespace-nowrap',
            cell: (model) => {
              const lift = liftOf(model);
              return lift === undefined ? '–' : `${lift.toFixed(1)} ×`;
            },
          },
          {
            ...timeColumn('Trained', 'created_ts'),
            padding: 'pr-2 pl-8',
            isWideOnly: true,
          },
          { title: 'Deployment', isHidden: true, className: 'text-right', cell: deploymentOf },
        ]}
      />
      {dialog}
    </>
  );
}

const metricColumn = (title: string, hint: string, metric: Metric): Column<Model> => ({
  title,
  hint,
  isNumber: true,
  className: 'whitespace-nowrap',
  cell: ({ training }) => formatPercent(training.metrics.model[metric].value, 1),
});
