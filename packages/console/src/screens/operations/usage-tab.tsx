import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Response } from '@tastegraph/sdk';
import { Gauge } from 'lucide-react';
import { useState } from 'react';
import { Bar } from '../../components/bar.tsx';
import { buttonClass } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { RangeField } from '../../components/range-field.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { formatBytes, formatCompact, formatCount, formatPercent } from '../../format.ts';
import { useAccess } from '../../session/access.tsx';
import { nameOfKey, useKeys } from '../../use/keys.ts';
import { type Person, usePeople } from '../../use/people.ts';
import { projectPath, useProjects } from '../../use/projects.ts';
import { type Range, ranges } from '../../use/statistics.ts';

type Usage = Response<'getUsage'>;

const dayMs = 24 * 3600_000;

function useUsage(range: Range) {
  const { client, account } = useAccess();
  return useQuery({
    queryKey: [account.account_id, 'usage', range],
    queryFn: ({ signal }) =>
      client.getUsage({ since_ts: Date.now() - (ranges[range].intervals - 1) * dayMs }, { signal }),
    refetchInterval: 30_000,
  });
}

/** What the account uses of its plan, and who called what. */
export function UsageTab() {
  const [range, setRange] = useState<Range>('month');
  const query = useUsage(range);
  return (
    <QueryView query={query} lines={8}>
      {(usage) => (
        <div className="space-y-4">
          <Plan usage={usage} />
          <Card
            title="Calls by project and caller"
            actions={<RangeField value={range} offered={['month', 'quarter']} onChange={setRange} />}
          >
            <Callers calls={usage.calls} />
          </Card>
        </div>
      )}
    </QueryView>
  );
}

const names: Readonly<Record<Usage['resources'][number]['resource'], string>> = {
  USER_SHARDS: 'Shards of user datasets',
  ITEM_SHARDS: 'Shards of item datasets',
  EVENT_SHARDS: 'Shards of event datasets',
  PROJECTS: 'Projects',
  ALGORITHMS: 'Algorithms',
  MODELS: 'Models',
  TRAINING_HOURS: 'Training hours',
  QPS: 'Highest limit of calls per second',
  RECORDS: 'Records in all datasets',
  MODEL_BYTES: 'Total size of models',
};

function Plan({ usage: { plan, resources } }: { usage: Usage }) {
  return (
    <Card title="Plan" hint={plan}>
      <ul className="grid gap-x-8 gap-y-4 p-4 sm:grid-cols-2 lg:grid-cols-3">
        {resources.map(({ resource, used, limit }) => {
          const show = (value: number) => formatAmount(resource, value);
          return (
            <li key={resource}>
              <p className="flex items-baseline justify-between gap-2">
                <span>{names[resource]}</span>
                <span className="whitespace-nowrap tabular-nums">
                  {show(used)}{' '}
                  <span className="text-muted">{limit === null ? 'no limit' : `of ${show(limit)}`}</span>
                </span>
              </p>
              {limit !== null && (
                <div className="mt-1.5">
                  <Bar role="meter" label={names[resource]} value={used} max={limit} />
                </div>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function formatAmount(resource: Usage['resources'][number]['resource'], value: number): string {
  if (resource === 'MODEL_BYTES') return formatBytes(value);
  return resource === 'TRAINING_HOURS' ? value.toFixed(2) : formatCompact(value);
}

function Callers({ calls }: { calls: Usage['calls'] }) {
  const projects = useProjects();
  const nameOf = (id: string | null) =>
    id === null ? 'No project' : (projects.data?.find(({ project_id }) => project_id === id)?.name ?? id);
  if (calls.length === 0)
    return (
      <EmptyState
        icon={Gauge}
        title="No calls in this time"
        action={
          <Link
            from={projectPath}
            to={`${projectPath}/operations`}
            search={{ tab: 'keys' }}
            className={buttonClass()}
          >
            API keys
          </Link>
        }
      >
        Every call by an API key or a person is counted here a few seconds after it was answered. Create an
        API key for your application to begin.
      </EmptyState>
    );
  return (
    <Table
      rows={calls}
      keyOf={(call) => `${call.project_id ?? ''} ${call.caller_id}`}
      className="min-w-160"
      columns={[
        {
          title: 'Project',
          isRowHeading: true,
          className: 'max-w-60 truncate',
          cell: (call) => nameOf(call.project_id),
        },
        {
          title: 'Caller',
          className: 'max-w-72',
          cell: ({ caller_type, caller_id }) => <Caller type={caller_type} id={caller_id} />,
        },
        {
          title: 'Recommendations',
          isNumber: true,
          cell: ({ recommendations }) => formatCount(recommendations),
        },
        { title: 'Other calls', isNumber: true, cell: ({ other_calls }) => formatCount(other_calls) },
        {
          title: 'Errors',
          isNumber: true,
          className: 'whitespace-nowrap',
          cell: ({ errors, recommendations, other_calls }) => (
            <>
              {formatCount(errors)}{' '}
              <span className="text-sm text-muted">
                {formatPercent(errors / Math.max(1, recommendations + other_calls), 1)}
              </span>
            </>
          ),
        },
      ]}
    />
  );
}

function Caller({ type, id }: { type: Usage['calls'][number]['caller_type']; id: string }) {
  const { account } = useAccess();
  const keys = useKeys();
  const people = usePeople();
  if (type === 'PERSON' && id === account.person_id) return 'You, in the console';
  const name =
    type === 'PERSON'
      ? nameOfPerson(people.data, id)
      : keys.data?.find(({ api_key }) => api_key === id)?.name;
  return (
    <>
      <span className="block truncate">{name ?? nameOfKey({ name: null, api_key: id })}</span>
      <span className="block truncate font-mono text-sm text-muted" title={id}>
        {id}
      </span>
    </>
  );
}

/** Undefined people: the role does not allow to see them. */
function nameOfPerson(people: readonly Person[] | undefined, id: string): string {
  const person = people?.find(({ person_id }) => person_id === id);
  if (person) return `${person.name || person.email}, in the console`;
  return people ? 'A person who left' : 'Another person';
}
