import { memo, useDeferredValue } from 'react';
import { Card, PageHeader } from '../../components/card.tsx';
import { QueryView } from '../../components/states.tsx';
import { EventTypeBars, Findings } from '../../data/findings.tsx';
import { useTrainingCheck } from '../../data/use-datasets.ts';
import { formatTime } from '../../format.ts';
import { useProject } from '../../projects/project-context.ts';
import { useAccess } from '../../session/access.tsx';
import { CallsCard } from './calls-card.tsx';
import { EventsCard } from './events-card.tsx';
import { NextStep } from './next-step.tsx';
import { Pipeline } from './pipeline.tsx';
import { RecentJobs } from './recent-jobs.tsx';
import { SnippetsCard } from './snippets-card.tsx';
import { useStages } from './stages.ts';

/** The way of the data through the project, and what to do next. */
export function OverviewScreen() {
  const project = useProject();
  const { account } = useAccess();
  const stages = useStages();
  // What is further down follows the first paint, in slices that let clicks through.
  const isPainted = useDeferredValue(true, false);
  return (
    <>
      <PageHeader
        title={project.name}
        hint={`Predicts “${project.target_event_type}” events in ${account.name}.`}
      />
      <NextStep stages={stages} />
      <Pipeline stages={stages} />
      {isPainted && <Details />}
    </>
  );
}

/** Apart from the stages, which change with every answer. */
const Details = memo(function Details() {
  const check = useTrainingCheck();
  return (
    <>
      <div className="mt-4 grid items-start gap-4 lg:grid-cols-2">
        <CallsCard />
        <div className="grid min-w-0 gap-4">
          <EventsCard />
          <Card
            title="All events by type"
            hint={
              typeof check.data?.first_ts === 'number' &&
              check.data.last_ts !== null &&
              `${formatTime(check.data.first_ts)} to ${formatTime(check.data.last_ts)}`
            }
          >
            <QueryView query={check}>
              {(found) => (
                <div className="px-4 py-3">
                  {found.event_types.length === 0 ? (
                    <p className="text-muted">No events yet.</p>
                  ) : (
                    <EventTypeBars check={found} />
                  )}
                </div>
              )}
            </QueryView>
          </Card>
        </div>
      </div>
      {check.data?.findings.some(({ severity }) => severity !== 'INFO') && (
        <Card title="Data check" hint="what a training would find" className="mt-4">
          <Findings check={check.data} />
        </Card>
      )}
      <RecentJobs />
      <SnippetsCard />
    </>
  );
});
