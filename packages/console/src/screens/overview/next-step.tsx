import { ArrowRight, Lightbulb } from 'lucide-react';
import { ScreenLink } from '../../components/screen-link.tsx';
import { formatAgo, formatNumberOf, formatPercent } from '../../format.ts';
import { countOf, newestOf, type Stages } from './stages.ts';

/** Tastes and catalogues change within weeks. */
const oldModelMs = 14 * 24 * 3600_000;
const maxFailedShare = 0.05;

interface Advice {
  readonly text: string;
  readonly action?: {
    readonly label: string;
    readonly screen: 'data' | 'models' | 'playground';
  };
}

/** The one thing that leads on from here. */
function adviceFor(stages: Stages): Advice | undefined {
  const { datasets, models, training, deploying, project, deployed } = stages;
  if (!datasets || !models) return undefined;
  if (countOf(stages, 'events') === 0)
    return {
      text: 'Import events to begin with: who did what with which item, and when.',
      action: { label: 'Import data', screen: 'data' },
    };
  if (training) return { text: 'A model is being trained. Deploy it when it is ready.' };
  if (deploying) return { text: 'A model is being deployed. It serves calls in a moment.' };
  const newest = newestOf(stages);
  if (!newest)
    return {
      text: 'The data is here. Train a model to learn from it.',
      action: { label: 'Train a model', screen: 'models' },
    };
  if (!project.deployment)
    return {
      text: `“${newest.name}” is trained. Deploy it to serve recommendations.`,
      action: { label: 'Deploy it', screen: 'models' },
    };
  if (deployed && newest.model_id !== deployed.model_id)
    return {
      text: `“${newest.name}” is newer than the deployed “${deployed.name}”. Compare them, and deploy the better one.`,
      action: { label: 'Compare models', screen: 'models' },
    };
  if (stages.calls && stages.calls.refused > maxFailedShare * stages.calls.calls)
    return {
      text: `${formatNumberOf(stages.calls.refused, 'call')} of the last 24 hours were refused: the deployment allows ${formatNumberOf(project.deployment.qps, 'call')} per second. Allow more if your shop needs them.`,
      action: { label: 'Change the limit', screen: 'models' },
    };
  const failed = stages.calls ? stages.calls.client_errors + stages.calls.server_errors : 0;
  if (stages.calls && failed > maxFailedShare * stages.calls.calls)
    return {
      text: `${formatPercent(failed / stages.calls.calls, 1)} of the calls of the last 24 hours failed. Try the same call here to see why.`,
      action: { label: 'Open the playground', screen: 'playground' },
    };
  if (deployed && Date.now() - deployed.created_ts > oldModelMs && stages.newEvents > 0)
    return {
      text: `“${deployed.name}” was trained ${formatAgo(deployed.created_ts)}; ${formatNumberOf(stages.newEvents, 'event')} happened since. Train a new model to learn from them.`,
      action: { label: 'Train a model', screen: 'models' },
    };
  return {
    text: `Model “${deployed?.name ?? newest.name}” is live. See what users get, and why.`,
    action: { label: 'Open the playground', screen: 'playground' },
  };
}

export function NextStep({ stages }: { stages: Stages }) {
  const advice = adviceFor(stages);
  if (!advice) return null;
  return (
    <section
      aria-label="Next step"
      className="mb-4 flex flex-wrap items-center gap-3 rounded-lg bg-accent-soft px-4 py-3 text-accent-text"
    >
      <Lightbulb className="size-5 shrink-0" aria-hidden />
      <p className="min-w-0 flex-1 basis-60 font-medium">{advice.text}</p>
      {advice.action && (
        <ScreenLink screen={advice.action.screen} look="primary">
          {advice.action.label} <ArrowRight aria-hidden />
        </ScreenLink>
      )}
    </section>
  );
}
