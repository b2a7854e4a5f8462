import clsx from 'clsx';
import { Rocket } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { formatAgo, formatPercent, formatTime } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { isActive, useJobs } from '../../use/jobs.ts';
import { algorithmLabels, type Estimate, liftOf, type Model } from '../../use/models.ts';
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
  const [asked, setAsked] = useState<Model>();
  const isDeploying = jobs.data?.some((job) => job.job_type === 'DEPLOYMENT' && isActive(job)) ?? false;
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full sm:min-w-180">
        <TableHead
          columns={[
            { title: 'Model' },
            { title: 'NDCG@20', hint: 'right items near the top', isNumber: true },
            { title: 'Recall@20', hint: 'right items among 20', isNumber: true, isWideOnly: true },
            { title: 'Coverage', hint: 'of all items', isNumber: true, isWideOnly: true },
            { title: 'vs popularity', hint: 'NDCG@20', isNumber: true },
            { title: 'Trained', padding: 'pr-2 pl-8', isWideOnly: true },
            { title: 'Deployment', isHidden: true },
          ]}
        />
        <tbody className="divide-y divide-line">
          {models.map((model) => {
            const { model_id, name, algorithm_type, created_ts, training } = model;
            const metrics = training.metrics.model;
            const lift = liftOf(model);
            const isDeployed = deployment?.generator_model_id === model_id;
            return (
              <tr key={model_id} className={clsx(model_id === selectedId && 'bg-accent-soft/50')}>
                <td className="max-w-72 px-4 py-2">
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
                </td>
                <Value estimate={metrics.ndcg_at_20} />
                <Value estimate={metrics.recall_at_20} isWideOnly />
                <Value estimate={metrics.coverage} isWideOnly />
                <td className="px-2 py-2 text-right whitespace-nowrap tabular-nums">
                  {lift === undefined ? '–' : `${lift.toFixed(1)} ×`}
                </td>
                <td className="py-2 pr-2 pl-8 whitespace-nowrap max-sm:hidden" title={formatTime(created_ts)}>
                  {formatAgo(created_ts)}
                </td>
                <td className="px-4 py-2 text-right">
                  {isDeployed ? (
                    <Badge tone="good">deployed</Badge>
                  ) : (
                    canDeploy && (
                      <Button
                        onClick={() => setAsked(model)}
                        disabled={isDeploying}
                        aria-label={`Deploy ${name}`}
                      >
                        <Rocket aria-hidden /> Deploy
                      </Button>
                    )
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {asked && <DeployDialog model={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

function Value({ estimate, isWideOnly = false }: { estimate: Estimate; isWideOnly?: boolean }) {
  return (
    <td
      className={clsx('px-2 py-2 text-right whitespace-nowrap tabular-nums', isWideOnly && 'max-sm:hidden')}
    >
      {formatPercent(estimate.value, 1)}
    </td>
  );
}
