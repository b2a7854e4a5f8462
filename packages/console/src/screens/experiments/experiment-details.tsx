import { CircleAlert, CircleCheck, Square } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { QueryView } from '../../components/states.tsx';
import { formatAgo, formatNumberOf, formatSeconds } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { type Experiment, useExperiment } from '../../use/experiments.ts';
import { ExperimentChart } from './experiment-chart.tsx';
import { StopDialog } from './stop-dialog.tsx';
import { VariantTable } from './variant-table.tsx';
import { VerdictBadge } from './verdict-badge.tsx';

/** One experiment: the verdict in words, whether users were split as planned, and the figures by variant and day. */
export function ExperimentDetails({ experimentId }: { experimentId: string }) {
  const query = useExperiment(experimentId);
  return (
    <QueryView query={query} lines={8}>
      {(experiment) => <Details experiment={experiment} />}
    </QueryView>
  );
}

function Details({ experiment }: { experiment: Experiment }) {
  const { name, verdict, message, state, measured_ts, window_hours, promoted, days } = experiment;
  const canStop = useMay('stopExperiment');
  const [isStopping, setStopping] = useState(false);
  return (
    <>
      <Card
        title={name}
        hint={
          measured_ts === null
            ? 'not measured yet: the first figures take a few minutes'
            : `measured ${formatAgo(measured_ts)}`
        }
        className="mb-4"
        actions={
          canStop &&
          state === 'RUNNING' && (
            <Button onClick={() => setStopping(true)}>
              <Square aria-hidden /> Stop…
            </Button>
          )
        }
      >
        <div className="space-y-2 px-4 py-3">
          <p className="flex flex-wrap items-center gap-2">
            <VerdictBadge verdict={verdict} />
            {promoted !== null && <Badge tone="accent">all users get “{promoted}”</Badge>}
          </p>
          <p aria-label="Verdict" role="note">
            {/* The service quotes names as code. */}
            {message.replaceAll(/`([^`]*)`/g, '“$1”')}
          </p>
          <SampleRatio experiment={experiment} />
          <p className="text-sm text-muted">
            A user is measured {formatWindow(window_hours)} after their first response. The intervals hold at
            all times at once: looking early does not make a wrong verdict more likely.
          </p>
        </div>
        <VariantTable experiment={experiment} />
      </Card>
      {days.length > 0 && <ExperimentChart experiment={experiment} />}
      {isStopping && <StopDialog experiment={experiment} onClose={() => setStopping(false)} />}
    </>
  );
}

/** "24 hours", "36 s". */
const formatWindow = (hours: number) =>
  hours < 1 ? formatSeconds(hours * 3600) : formatNumberOf(hours, 'hour');

function SampleRatio({ experiment: { sample_ratio, results } }: { experiment: Experiment }) {
  if (results.every(({ users }) => users === 0)) return null;
  const { is_mismatch, p_value } = sample_ratio;
  return is_mismatch ? (
    <p className="flex items-start gap-2 text-bad">
      <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
      Users were not split as planned (p = {p_value.toPrecision(2)}). Look for calls that fail or time out in
      one variant, then start a new experiment.
    </p>
  ) : (
    <p className="flex items-start gap-2 text-good">
      <CircleCheck className="mt-0.5 size-4 shrink-0" aria-hidden />
      Users were split as planned.
    </p>
  );
}
