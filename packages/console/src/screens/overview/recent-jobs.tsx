import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { QueryView } from '../../components/states.tsx';
import { JobTable } from '../../jobs/job-table.tsx';
import { useJobs } from '../../jobs/use-jobs.ts';
import { useProject } from '../../projects/project-context.ts';
import { useAccess } from '../../session/access.tsx';

const shown = 3;

export function RecentJobs() {
  const jobs = useJobs();
  const { account } = useAccess();
  const { project_id } = useProject();
  if (jobs.data?.length === 0) return null;
  return (
    <Card
      title="Recent jobs"
      className="mt-4"
      actions={
        <Link
          to="/accounts/$accountId/projects/$projectId/operations"
          params={{ accountId: account.account_id, projectId: project_id }}
          className="text-accent-text hover:underline"
        >
          All jobs
        </Link>
      }
    >
      <QueryView query={jobs}>{(list) => <JobTable jobs={list.slice(0, shown)} />}</QueryView>
    </Card>
  );
}
