import { Card } from '../../components/card.tsx';
import { QueryView } from '../../components/states.tsx';
import { JobTable } from '../../jobs/job-table.tsx';
import { useJobs } from '../../jobs/use-jobs.ts';

const shown = 5;

export function RecentJobs() {
  const jobs = useJobs();
  if (jobs.data?.length === 0) return null;
  return (
    <Card title="Recent jobs" className="mt-4">
      <QueryView query={jobs}>{(list) => <JobTable jobs={list.slice(0, shown)} />}</QueryView>
    </Card>
  );
}
