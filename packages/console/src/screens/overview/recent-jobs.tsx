import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { JobTable } from '../../components/job-table.tsx';
import { QueryView } from '../../components/states.tsx';
import { useAccess } from '../../session/access.tsx';
import { useJobs } from '../../use/jobs.ts';
import { useProject } from '../../use/projects.ts';

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
