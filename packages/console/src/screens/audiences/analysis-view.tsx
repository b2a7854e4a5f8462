import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { SelectField } from '../../components/field.tsx';
import { JobTable } from '../../components/job-table.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { formatAgo } from '../../format.ts';
import { isActive, type ListedJob } from '../../use/jobs.ts';
import { type AnalysisKind, useAnalyses } from './use-analyses.ts';

interface AnalysisViewProps {
  readonly kind: AnalysisKind;
  /** While there is no result. */
  readonly empty: { readonly icon: LucideIcon; readonly title: string; readonly text: string };
  readonly action: ReactNode;
  readonly children: (job: ListedJob) => ReactNode;
}

/** What is under way or failed last, and one of the results: the newest, until another is chosen. */
export function AnalysisView({ kind, empty, action, children }: AnalysisViewProps) {
  const jobs = useAnalyses(kind);
  const [chosen, setChosen] = useState<string>();
  return (
    <QueryView query={jobs} lines={8}>
      {(list) => {
        const done = list.filter(({ job_status }) => job_status === 'SUCCEED');
        const selected = done.find(({ job_id }) => job_id === chosen) ?? done[0];
        const [newest] = list;
        const shown = list.filter(
          (job) => isActive(job) || (job === newest && newest.job_status === 'FAILED'),
        );
        return (
          <div className="space-y-4">
            {shown.length > 0 && (
              <Card title="Jobs">
                <JobTable jobs={shown} />
              </Card>
            )}
            {selected ? (
              <>
                <div className="flex flex-wrap items-end gap-3">
                  <SelectField
                    label="Result"
                    className="w-full sm:w-96"
                    value={selected.job_id}
                    choices={done.map(
                      ({ job_id, name, finished_ts, created_ts }) =>
                        [job_id, `${name}, ${formatAgo(finished_ts ?? created_ts)}`] as const,
                    )}
                    onChange={setChosen}
                  />
                  <div className="ml-auto">{action}</div>
                </div>
                {children(selected)}
              </>
            ) : (
              shown.every((job) => !isActive(job)) && (
                <Card>
                  <EmptyState icon={empty.icon} title={empty.title} action={action}>
                    {empty.text}
                  </EmptyState>
                </Card>
              )
            )}
          </div>
        );
      }}
    </QueryView>
  );
}
