import { Link } from '@tanstack/react-router';
import { ChevronRight, Database, type LucideIcon, Radio, Rocket, Sigma } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../components/badge.tsx';
import { CopyIcon } from '../../components/copy-button.tsx';
import { JobProgress } from '../../components/job-status.tsx';
import { Skeleton } from '../../components/states.tsx';
import { formatAgo, formatCompact, formatCount, formatPercent } from '../../format.ts';
import { liftOf } from '../../use/models.ts';
import { projectPath } from '../../use/projects.ts';
import { countOf, newestOf, type Stages } from './stages.ts';

/** Data, training, deployment, calls: each with its state. */
export function Pipeline({ stages }: { stages: Stages }) {
  return (
    <ol className="grid gap-3 sm:grid-cols-2 xl:grid-cols-[1fr_auto_1fr_auto_1fr_auto_1fr] xl:gap-1.5">
      <DataStage stages={stages} />
      <Arrow />
      <TrainingStage stages={stages} />
      <Arrow />
      <DeploymentStage stages={stages} />
      <Arrow />
      <CallsStage stages={stages} />
    </ol>
  );
}

function Arrow() {
  return (
    <li aria-hidden className="hidden items-center text-line-strong xl:flex">
      <ChevronRight className="size-5" />
    </li>
  );
}

interface StageProps {
  readonly stages: Stages;
  readonly name: string;
  readonly Icon: LucideIcon;
  readonly screen: 'data' | 'models' | 'playground';
  /** Undefined while it is not known. */
  readonly state: { readonly tone: Tone; readonly text: string } | undefined;
  readonly children: ReactNode;
}

function Stage({ stages, name, Icon, screen, state, children }: StageProps) {
  return (
    <li className="relative min-w-0 rounded-lg border border-line bg-card p-4 hover:border-line-strong">
      <div className="mb-3 flex items-center gap-2">
        <Icon className="size-4 text-muted" aria-hidden />
        <h2 className="font-semibold">
          <Link from={projectPath} to={`${projectPath}/${screen}`} className="after:absolute after:inset-0">
            {name}
          </Link>
        </h2>
        {state && (
          <span className="ml-auto">
            <Badge tone={state.tone}>{state.text}</Badge>
          </span>
        )}
      </div>
      {/* A stage that failed to load is explained above all of them. */}
      {state ? children : !stages.failure && <Skeleton lines={2} className="py-1" />}
    </li>
  );
}

function Figure({ value, label }: { value: string; label: string }) {
  return (
    <p>
      <span className="text-2xl font-semibold tracking-tight tabular-nums">{value}</span>{' '}
      <span className="text-muted">{label}</span>
    </p>
  );
}

function DataStage({ stages }: { stages: Stages }) {
  const events = countOf(stages, 'events');
  const full = stages.datasets?.some(({ count, ceiling }) => count > 0.9 * ceiling) ?? false;
  const state = !stages.datasets
    ? undefined
    : full
      ? ({ tone: 'warn', text: 'nearly full' } as const)
      : events > 0
        ? ({ tone: 'good', text: 'ready' } as const)
        : ({ tone: 'neutral', text: 'empty' } as const);
  return (
    <Stage stages={stages} name="Data" Icon={Database} screen="data" state={state}>
      <Figure value={formatCompact(events)} label="events" />
      <p className="mt-1 text-sm text-muted">
        {formatCount(countOf(stages, 'users'))} users, {formatCount(countOf(stages, 'items'))} items
      </p>
    </Stage>
  );
}

function TrainingStage({ stages }: { stages: Stages }) {
  const { training, models } = stages;
  const newest = newestOf(stages);
  const state = !models
    ? undefined
    : training
      ? ({ tone: 'info', text: 'running' } as const)
      : newest
        ? ({ tone: 'good', text: 'trained' } as const)
        : ({ tone: 'neutral', text: 'no model' } as const);
  const lift = newest && liftOf(newest);
  return (
    <Stage stages={stages} name="Training" Icon={Sigma} screen="models" state={state}>
      {training ? (
        <JobProgress job={training} />
      ) : newest ? (
        <>
          <Figure
            value={
              lift === undefined
                ? formatPercent(newest.training.metrics.model.ndcg_at_20.value, 1)
                : `${lift.toFixed(1)} ×`
            }
            label={lift === undefined ? 'NDCG@20' : 'as accurate as popular items (NDCG@20)'}
          />
          <p className="mt-1 truncate text-sm text-muted">
            {newest.name}, {formatAgo(newest.created_ts)}
          </p>
        </>
      ) : (
        <p className="text-muted">Learns from the events what users take next.</p>
      )}
    </Stage>
  );
}

function DeploymentStage({ stages }: { stages: Stages }) {
  const { deploying, deployed, project } = stages;
  const { deployment } = project;
  const state =
    deployment && !stages.models
      ? undefined
      : deploying
        ? ({ tone: 'info', text: 'deploying' } as const)
        : deployment
          ? ({ tone: 'good', text: 'live' } as const)
          : ({ tone: 'neutral', text: 'none' } as const);
  return (
    <Stage stages={stages} name="Deployment" Icon={Rocket} screen="models" state={state}>
      {deploying ? (
        <JobProgress job={deploying} />
      ) : deployment ? (
        <>
          <p className="truncate text-2xl font-semibold tracking-tight" title={deployed?.name}>
            {deployed?.name ?? 'A model'}
          </p>
          <p className="mt-1 text-sm text-muted">
            the model that answers, deployed {formatAgo(deployment.deployed_ts)}
          </p>
        </>
      ) : (
        <p className="text-muted">Makes a model answer calls.</p>
      )}
    </Stage>
  );
}

function CallsStage({ stages }: { stages: Stages }) {
  const { deployment, serving_uri } = stages.project;
  const { calls } = stages;
  const state =
    deployment && !calls
      ? undefined
      : deployment
        ? ({ tone: 'good', text: 'serving' } as const)
        : ({ tone: 'neutral', text: 'not serving' } as const);
  return (
    <Stage stages={stages} name="Calls" Icon={Radio} screen="playground" state={state}>
      {deployment ? (
        <>
          <Figure value={formatCompact(calls?.calls ?? 0)} label="calls in 24 hours" />
          <p className="mt-1 flex items-center gap-1 text-sm text-muted">
            at most {formatCount(deployment.qps)} per second
            <span className="relative z-10 -my-1 ml-auto">
              <CopyIcon text={serving_uri} label={`Copy the address ${serving_uri}`} />
            </span>
          </p>
        </>
      ) : (
        <p className="text-muted">Try every user in the playground once a model is deployed.</p>
      )}
    </Stage>
  );
}
