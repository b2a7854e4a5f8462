import { useInfiniteQuery } from '@tanstack/react-query';
import type { Response } from '@tastegraph/sdk';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { SelectField } from '../../components/field.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { Table, timeColumn } from '../../components/table.tsx';
import { formatNumberOf } from '../../format.ts';
import { useAccess } from '../../session/access.tsx';
import { nameOfKey, useKeys } from '../../use/keys.ts';
import { useNames } from '../../use/names.ts';
import { usePeople } from '../../use/people.ts';
import { changes, titleOfPath } from './operation-names.ts';

type AuditEvent = Response<'listAuditEvents'>['audit_events'][number];

interface Filter {
  readonly actor_id: string;
  readonly operation: string;
}

const pageSize = 50;

function useAuditEvents({ actor_id, operation }: Filter) {
  const { client, account } = useAccess();
  return useInfiniteQuery({
    queryKey: [account.account_id, 'audit-events', actor_id, operation],
    queryFn: async ({ signal, pageParam }) =>
      client.listAuditEvents(
        {
          page_size: pageSize,
          ...(actor_id && { actor_id }),
          ...(operation && { operation }),
          ...(pageParam && { page_token: pageParam }),
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_page_token }) => next_page_token,
    select: ({ pages }) => pages.flatMap(({ audit_events }) => audit_events),
  });
}

/** Who changed what, newest first. */
export function AuditTab() {
  const [filter, setFilter] = useState<Filter>({ actor_id: '', operation: '' });
  const events = useAuditEvents(filter);
  const people = usePeople();
  const keys = useKeys();
  const nameOf = useNames();
  const isFiltered = filter.actor_id !== '' || filter.operation !== '';
  return (
    <Card
      title="Audit log"
      hint="every change by a person or an API key"
      actions={
        <>
          <SelectField
            label="Who"
            hideLabel
            value={filter.actor_id}
            choices={[
              ['', 'Anyone'],
              ...(people.data ?? []).map(({ person_id, name }) => [person_id, name] as const),
              ...(keys.data ?? []).map((key) => [key.api_key, `${nameOfKey(key)} (key)`] as const),
            ]}
            onChange={(actor_id) => setFilter({ ...filter, actor_id })}
          />
          <SelectField
            label="What"
            hideLabel
            value={filter.operation}
            choices={[['', 'All changes'], ...changes.map((path) => [path, titleOfPath(path)] as const)]}
            onChange={(operation) => setFilter({ ...filter, operation })}
          />
        </>
      }
    >
      <QueryView query={events} lines={8}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={ScrollText} title={isFiltered ? 'No such changes' : 'No changes yet'}>
              {isFiltered
                ? 'Nobody has made a change like this in the time that entries are kept. Choose other filters.'
                : 'When somebody creates, changes or deletes something, it is listed here with who and when.'}
            </EmptyState>
          ) : (
            <EventTable events={list} nameOf={nameOf} />
          )
        }
      </QueryView>
      <ShowMore query={events} />
    </Card>
  );
}

function EventTable({ events, nameOf }: { events: readonly AuditEvent[]; nameOf: (id: string) => string }) {
  return (
    <Table
      rows={events}
      keyOf={({ request_id, operation, ts }) => `${request_id} ${operation} ${ts}`}
      className="min-w-160"
      columns={[
        timeColumn('When', 'ts'),
        {
          title: 'Who',
          className: 'max-w-56 truncate',
          cell: ({ actor_email, actor_id }) => actor_email ?? nameOf(actor_id),
        },
        {
          title: 'Change',
          tooltip: ({ request_id }) => `Request ID: ${request_id}`,
          cell: ({ operation, calls, result }) => (
            <>
              {titleOfPath(operation)}{' '}
              {calls > 1 && <span className="text-muted">({formatNumberOf(calls, 'call')})</span>}{' '}
              {result !== 'SUCCEEDED' && <Badge tone="warn">{result.toLowerCase()}</Badge>}
            </>
          ),
        },
        {
          title: 'Object',
          className: 'max-w-72 truncate',
          tooltip: ({ object_id }) => object_id ?? undefined,
          cell: ({ object_id }) =>
            object_id === null ? <span className="text-muted">–</span> : nameOf(object_id),
        },
      ]}
    />
  );
}
