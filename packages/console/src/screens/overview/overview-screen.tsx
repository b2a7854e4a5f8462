import { memo } from 'react';
import { PageHeader } from '../../components/card.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useProject } from '../../use/projects.ts';
import { useSlices } from '../../use-slices.ts';
import { CallsCard } from './calls-card.tsx';
import { EventTypesCard, FindingsCard } from './check-cards.tsx';
import { EventsCard } from './events-card.tsx';
import { NextStep } from './next-step.tsx';
import { Pipeline } from './pipeline.tsx';
import { RecentJobs } from './recent-jobs.tsx';
import { SnippetsCard } from './snippets-card.tsx';
import { useStages } from './stages.ts';

/** The way of the data through the project, and what to do next. */
export function OverviewScreen() {
  const project = useProject();
  const stages = useStages();
  return (
    <>
      <PageHeader
        title={project.name}
        hint={`Recommends to each user the items that lead to “${project.target_event_type}” events.`}
      />
      {stages.failure && <ErrorState error={stages.failure.error} onRetry={stages.failure.retry} />}
      <NextStep stages={stages} />
      <Pipeline stages={stages} />
      <Details />
    </>
  );
}

/** What is further down, rendered after the first paint and apart from the stages, which change with every answer. */
const Details = memo(function Details() {
  const shown = useSlices(5);
  return (
    <>
      <div className="mt-4 grid items-start gap-4 lg:grid-cols-2">
        {shown > 0 && <CallsCard />}
        <div className="grid min-w-0 gap-4">
          {shown > 1 && <EventsCard />}
          {shown > 2 && <EventTypesCard />}
        </div>
      </div>
      {shown > 2 && <FindingsCard />}
      {shown > 3 && <RecentJobs />}
      {shown > 4 && <SnippetsCard />}
    </>
  );
});
