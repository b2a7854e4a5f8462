import { useQuery } from '@tanstack/react-query';
import type { Response } from '@tastegraph/sdk';
import { CircleCheck, LoaderCircle } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Table } from '../../components/table.tsx';
import { formatNumberOf, formatTime } from '../../format.ts';
import { useAccess } from '../../session/access.tsx';
import { useProjects } from '../../use/projects.ts';

type Receipt = Response<'getErasure'>;

const kinds: Readonly<Record<Receipt['removed'][number]['kind'], readonly [string, string]>> = {
  USERS: ['user record', 'user records'],
  EVENTS: ['event', 'events'],
  SNAPSHOTS: ['training snapshot', 'training snapshots'],
  RESULTS: ['result of a job', 'results of jobs'],
  DECISIONS: ['logged answer', 'logged answers'],
};

export function ErasureReceipt({ receipt }: { receipt: Receipt }) {
  const nameOf = usePlaces();
  const isDone = receipt.status === 'DONE';
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 border-b border-line p-4">
        <Badge tone={isDone ? 'good' : 'info'}>
          {isDone ? <CircleCheck aria-hidden /> : <LoaderCircle aria-hidden />} {isDone ? 'done' : 'running'}
        </Badge>
        <span className="text-muted">
          {receipt.finished_ts === null
            ? `started ${formatTime(receipt.created_ts)}; files of jobs are removed by a worker`
            : formatTime(receipt.finished_ts)}
        </span>
        <span className="ml-auto flex min-w-0 items-center gap-2">
          <code className="truncate text-sm">{receipt.erasure_id}</code>
          <CopyButton text={receipt.erasure_id} label="Copy ID" />
        </span>
      </div>
      <h3 className="px-4 pt-4 font-semibold">Removed</h3>
      {receipt.removed.length === 0 ? (
        <p className="p-4 text-muted">
          {isDone ? 'Nothing: no dataset and no file had this user.' : 'Nothing so far.'}
        </p>
      ) : (
        <ul className="p-4">
          {receipt.removed.map(({ where, kind, count }) => (
            <li key={`${where} ${kind}`} className="flex justify-between gap-3 py-1">
              <span className="min-w-0 truncate">{nameOf(where)}</span>
              <span className="whitespace-nowrap tabular-nums">{formatNumberOf(count, ...kinds[kind])}</span>
            </li>
          ))}
        </ul>
      )}
      <h3 className="border-t border-line px-4 pt-4 pb-1 font-semibold">Remains</h3>
      <Table
        rows={receipt.remains}
        keyOf={({ what }) => what}
        columns={[
          { title: 'What', className: 'align-top', cell: ({ what }) => what },
          { title: 'Until', className: 'align-top', cell: ({ until }) => until },
        ]}
      />
    </>
  );
}

/** The names of the account's datasets and projects, by ID. */
function usePlaces(): (id: string) => string {
  const { client, account } = useAccess();
  const projects = useProjects();
  const datasets = useQuery({
    queryKey: [account.account_id, 'dataset-names'],
    queryFn: async ({ signal }) => {
      const [users, events] = await Promise.all([
        client.listUserDatasets({}, { signal }),
        client.listEventDatasets({}, { signal }),
      ]);
      return [
        ...users.user_datasets.map(({ user_dataset_id, name }) => [user_dataset_id, name] as const),
        ...events.event_datasets.map(({ event_dataset_id, name }) => [event_dataset_id, name] as const),
      ];
    },
  });
  const names = new Map<string, string>([
    ...(datasets.data ?? []),
    ...(projects.data ?? []).map(({ project_id, name }) => [project_id, name] as const),
  ]);
  return (id) => names.get(id) ?? id;
}
