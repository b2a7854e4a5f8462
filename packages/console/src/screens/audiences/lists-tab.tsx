import { Link } from '@tanstack/react-router';
import { ListFilter } from 'lucide-react';
import { Card } from '../../components/card.tsx';
import { QueryView } from '../../components/states.tsx';
import { TableHead } from '../../components/table.tsx';
import { formatNumberOf, formatPercent } from '../../format.ts';
import type { ListedJob } from '../../use/jobs.ts';
import { projectPath } from '../../use/projects.ts';
import { AnalysisView } from './analysis-view.tsx';
import { DownloadLink } from './download-link.tsx';
import { NewList } from './new-list.tsx';
import type { ListedQuery } from './read-result.ts';
import { useListStart } from './use-analyses.ts';

export function ListsTab() {
  return (
    <AnalysisView
      kind="lists"
      action={<NewList />}
      empty={{
        icon: ListFilter,
        title: 'No lists yet',
        text: 'A list has the users whose affinity for one or more values is within bounds, for example for a newsletter. Measure affinity first to choose the bounds.',
      }}
    >
      {(job) => <ListResult key={job.job_id} job={job} />}
    </AnalysisView>
  );
}

interface Condition {
  readonly attribute: string;
  readonly value: unknown;
  readonly lower_bound?: number | null;
  readonly upper_bound?: number | null;
}

const describeCondition = ({ attribute, value, lower_bound, upper_bound }: Condition) =>
  `${attribute} ${String(value)}: ${formatPercent(lower_bound ?? 0)} to ${formatPercent(upper_bound ?? 1)}`;

function ListResult({ job }: { job: ListedJob }) {
  const query = useListStart(job);
  const submitted = job.job_data && 'queries' in job.job_data ? job.job_data.queries : [];
  return (
    <QueryView query={query} lines={10}>
      {({ result, read: lists }) => (
        <div className="space-y-4">
          {result.message !== null && <p className="text-muted">{result.message}</p>}
          {lists.map((list, index) => {
            const asked = submitted[index];
            const conditions = asked && 'conditions' in asked ? asked.conditions : [];
            return (
              <Card
                // biome-ignore lint/suspicious/noArrayIndexKey: queries are known by their position
                key={index}
                title={formatNumberOf(list.user_count, 'user')}
                hint={conditions.map(describeCondition).join(' and ')}
                actions={
                  index === 0 && (
                    <DownloadLink url={result.table_url ?? result.download_url}>
                      Download all users
                    </DownloadLink>
                  )
                }
              >
                <UserTable list={list} values={conditions.map(({ value }) => String(value))} />
              </Card>
            );
          })}
        </div>
      )}
    </QueryView>
  );
}

const shownUsers = 50;

function UserTable({ list, values }: { list: ListedQuery; values: readonly string[] }) {
  const shown = list.users.slice(0, shownUsers);
  if (list.user_count === 0)
    return (
      <p className="px-4 py-3 text-muted">
        {list.message ?? 'No user meets all conditions. Lower the bounds, or leave out a condition.'}
      </p>
    );
  return (
    <div className="relative max-h-120 overflow-auto" tabIndex={0} role="region" aria-label="Users">
      <table className="w-full">
        <TableHead
          columns={[{ title: 'User' }, ...values.map((value) => ({ title: value, isNumber: true }))]}
        />
        <tbody className="divide-y divide-line">
          {shown.map(({ user_id, usage }) => (
            <tr key={user_id}>
              <th scope="row" className="max-w-60 truncate px-4 py-1.5 text-left font-normal">
                <Link
                  from={projectPath}
                  to={`${projectPath}/playground`}
                  search={{ user: user_id }}
                  className="hover:underline"
                >
                  {user_id}
                </Link>
              </th>
              {usage.map((affinity, index) => (
                <td key={values[index] ?? index} className="px-4 py-1.5 text-right tabular-nums">
                  {formatPercent(affinity, 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < list.user_count && (
        <p className="border-t border-line px-4 py-2 text-sm text-muted">
          The first {formatNumberOf(shown.length, 'user')}. The file has all of them.
        </p>
      )}
    </div>
  );
}
