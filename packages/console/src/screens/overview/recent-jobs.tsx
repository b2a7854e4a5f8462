import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { JobTable } from '../../components/job-table.tsx';
import { QueryView } from '../../components/states.tsx';
import { useJobs } from '../../use/jobs.ts';
import { projectPath } from '../../use/projects.ts';

const shown = 3;

export function RecentJobs() {
  const jobs = useJobs();
  if (jobs.data?.length === 0) return null;
  return (
    <Card
      title="Recent jobs"
      className="mt-4"
      actions={
        <Link
          from={projectPath}
          to={`${projectPath}/operations`}
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
