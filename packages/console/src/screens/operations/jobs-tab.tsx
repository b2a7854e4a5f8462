import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { SelectField } from '../../components/field.tsx';
import { JobTable } from '../../components/job-table.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { useJobs } from '../../use/jobs.ts';

const all = 'all';

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState icon={ListChecks} title="No such jobs">
        No job of this type has this status. Choose another type or status.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={ListChecks}
      title="No jobs yet"
      action={<ScreenLink screen="models">Train a model</ScreenLink>}
    >
      A training is the first job of most projects. Deployments, clusterings, user lists and exports are jobs
      too. On the command line: <code className="text-ink">tastegraph jobs list</code>
    </EmptyState>
  );
}

/** The jobs of the project: what runs, what ended how, and why. */
export function JobsTab() {
  const jobs = useJobs();
  const [type, setType] = useState(all);
  const [status, setStatus] = useState(all);
  const types = [...new Set(jobs.data?.map(({ job_type }) => job_type))];
  const statuses = [...new Set(jobs.data?.map(({ job_status }) => job_status))];
  return (
    <Card
      title="Jobs"
      actions={
        <>
          <SelectField
            label="Type"
            hideLabel
            value={type}
            choices={[[all, 'All types'], ...types.map((one) => [one, one.toLowerCase()] as const)]}
            onChange={setType}
          />
          <SelectField
            label="Status"
            hideLabel
            value={status}
            choices={[[all, 'Any status'], ...statuses.map((one) => [one, one.toLowerCase()] as const)]}
            onChange={setStatus}
          />
        </>
      }
    >
      <QueryView query={jobs}>
        {(list) => {
          const shown = list.filter(
            (job) => (type === all || job.job_type === type) && (status === all || job.job_status === status),
          );
          return shown.length === 0 ? <NoJobs isFiltered={list.length > 0} /> : <JobTable jobs={shown} />;
        }}
      </QueryView>
    </Card>
  );
}
