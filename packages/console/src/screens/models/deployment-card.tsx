import { Gauge, ShieldCheck, ShieldQuestionMark, ShieldX, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { formatAgo, formatNumberOf, formatPercent } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { deploymentResult, describeGuard, type GuardReport, type ListedJob } from '../../use/jobs.ts';
import { type Model, useRollback } from '../../use/models.ts';
import { useProject } from '../../use/projects.ts';
import { DeployDialog } from './deploy-dialog.tsx';

interface DeploymentCardProps {
  readonly models: readonly Model[];
  readonly jobs: readonly ListedJob[];
}

/** What serves, what the guard of the newest deployment found, and the way back. */
export function DeploymentCard({ models, jobs }: DeploymentCardProps) {
  const { deployment } = useProject();
  const canRollBack = useMay('rollbackDeployment');
  const canDeploy = useMay('submitDeploymentJob');
  const [isAsking, setAsking] = useState(false);
  const [isChanging, setChanging] = useState(false);
  if (!deployment) return null;
  const nameOf = (modelId: string) => models.find(({ model_id }) => model_id === modelId)?.name ?? modelId;
  const { generator_model_id, previous_model_id, deployed_ts, qps } = deployment;
  const deployed = models.find(({ model_id }) => model_id === generator_model_id);
  const newest = jobs.find((job) => deploymentResult(job) !== undefined);
  const result = newest && deploymentResult(newest);
  return (
    <Card
      title="Deployment"
      hint={`${formatAgo(deployed_ts)}, limited to ${formatNumberOf(qps, 'call')} per second`}
      className="mb-4"
      actions={
        <>
          {canDeploy && deployed && (
            <Button onClick={() => setChanging(true)}>
              <Gauge aria-hidden /> Change the limit
            </Button>
          )}
          {canRollBack && previous_model_id !== null && (
            <Button onClick={() => setAsking(true)}>
              <Undo2 aria-hidden /> Roll back
            </Button>
          )}
        </>
      }
    >
      <p className="px-4 py-3">
        Model <span className="font-medium">“{nameOf(generator_model_id)}”</span> answers all calls.
        {previous_model_id !== null && (
          <span className="text-muted"> It replaced “{nameOf(previous_model_id)}”.</span>
        )}
      </p>
      {newest && result?.guard && (
        <GuardResult
          report={result.guard}
          isDeployed={result.deployed !== false}
          name={nameOf(candidateOf(newest))}
          ts={newest.finished_ts ?? newest.created_ts}
        />
      )}
      {isChanging && deployed && <DeployDialog model={deployed} onClose={() => setChanging(false)} />}
      {isAsking && previous_model_id !== null && (
        <RollbackDialog
          from={nameOf(generator_model_id)}
          to={nameOf(previous_model_id)}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}

function candidateOf({ job_data }: ListedJob): string {
  return job_data !== null && 'generator_model_id' in job_data ? job_data.generator_model_id : '';
}

interface GuardResultProps {
  readonly report: GuardReport;
  readonly isDeployed: boolean;
  readonly name: string;
  readonly ts: number;
}

function GuardResult({ report, isDeployed, name, ts }: GuardResultProps) {
  const { deployed_ndcg_at_20: before, candidate_ndcg_at_20: candidate, loss } = report;
  return (
    <section aria-label="Result of the guard" className="flex gap-3 border-t border-line px-4 py-3">
      {isDeployed && loss === null ? (
        <ShieldQuestionMark className="mt-0.5 size-5 shrink-0 text-warn" aria-hidden />
      ) : isDeployed ? (
        <ShieldCheck className="mt-0.5 size-5 shrink-0 text-good" aria-hidden />
      ) : (
        <ShieldX className="mt-0.5 size-5 shrink-0 text-bad" aria-hidden />
      )}
      <div className="min-w-0">
        <p className="font-medium">
          {!isDeployed
            ? `The guard refused “${name}”`
            : loss === null
              ? `The guard could not judge “${name}”`
              : `The guard let “${name}” pass`}{' '}
          <span className="font-normal text-muted">{formatAgo(ts)}</span>
        </p>
        <p>{describeGuard(report, isDeployed)}</p>
        {before !== null && candidate !== null && loss !== null && (
          <dl className="mt-1 flex flex-wrap gap-x-6 text-sm tabular-nums">
            <Figure name="NDCG@20 deployed" value={formatPercent(before, 1)} />
            <Figure name="NDCG@20 candidate" value={formatPercent(candidate, 1)} />
            <Figure
              name="Loss, 90 % interval"
              value={`${formatPercent(loss.value, 1)} (${formatPercent(loss.low, 1)} to ${formatPercent(loss.high, 1)})`}
            />
          </dl>
        )}
      </div>
    </section>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-muted">{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function RollbackDialog({ from, to, onClose }: { from: string; to: string; onClose: () => void }) {
  const rollback = useRollback();
  return (
    <ConfirmDialog
      title={`Roll back to “${to}”?`}
      action="Roll back"
      change={rollback}
      onConfirm={() => rollback.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      The next call is answered by “{to}” instead of “{from}”, on every process. “{from}” is kept: you can
      deploy it again.
    </ConfirmDialog>
  );
}
