import { useInfiniteQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { Inbox } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { inputClass } from '../../components/field.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { TabList, TabPanel, Tabs } from '../../components/tabs.tsx';
import { titleOf } from '../../items/describe-item.ts';
import { describeUser } from '../../items/describe-user.ts';
import { useItemLook } from '../../items/use-items.ts';
import { useProject } from '../../projects/project-context.ts';
import { useAccess } from '../../session/access.tsx';
import { type FoundRecord, RecordDialog } from './record-dialog.tsx';

type Kind = FoundRecord['kind'];

interface RecordPage {
  readonly records: readonly FoundRecord[];
  readonly next_page_token: string | null;
}

const pageSize = 25;

/** Users and items by the start of their ID, a page at a time: a dataset may have millions. */
export function Browser() {
  const [opened, setOpened] = useState<FoundRecord>();
  return (
    <Card aria-label="Records">
      <Tabs defaultValue="users">
        <TabList
          label="Records"
          tabs={[
            { value: 'users', title: 'Users' },
            { value: 'items', title: 'Items' },
          ]}
        />
        <TabPanel value="users">
          <RecordList kind="users" onOpen={setOpened} />
        </TabPanel>
        <TabPanel value="items">
          <RecordList kind="items" onOpen={setOpened} />
        </TabPanel>
      </Tabs>
      <RecordDialog record={opened} onClose={() => setOpened(undefined)} />
    </Card>
  );
}

function RecordList({ kind, onOpen }: { kind: Kind; onOpen: (record: FoundRecord) => void }) {
  const [prefix, setPrefix] = useState('');
  const look = useItemLook();
  const query = useRecords(kind, prefix.trim());
  const found = query.data?.pages.flatMap(({ records }) => records);
  return (
    <>
      <div className="p-3">
        <input
          type="search"
          className={inputClass}
          placeholder={`Find ${kind} by the start of their ID`}
          aria-label={`Find ${kind} by the start of their ID`}
          value={prefix}
          onChange={(event) => setPrefix(event.target.value)}
        />
      </div>
      <QueryView query={{ ...query, data: found }} lines={6}>
        {(records) =>
          records.length === 0 ? (
            <EmptyState
              icon={<Inbox aria-hidden />}
              title={prefix === '' ? `No ${kind} yet` : `No ${kind} with this ID`}
            >
              {prefix === ''
                ? 'Import a file to fill this dataset.'
                : 'IDs are compared with upper and lower case.'}
            </EmptyState>
          ) : (
            <ul
              className={clsx(
                'divide-y divide-line border-t border-line',
                query.isPlaceholderData && 'opacity-60',
              )}
            >
              {records.map((record) => {
                const title = kind === 'items' ? titleOf(record.id, record.attributes, look) : record.id;
                return (
                  <li key={record.id}>
                    <button
                      type="button"
                      onClick={() => onOpen(record)}
                      className="flex w-full items-baseline gap-3 px-4 py-2 text-left hover:bg-sunken"
                    >
                      <span className="min-w-0 truncate font-medium">{title}</span>
                      <span className="min-w-0 flex-1 truncate text-right text-sm text-muted">
                        {kind === 'items' && title !== record.id
                          ? record.id
                          : describeUser(record.attributes)}
                      </span>
                    </button>
                  </li>
                );
              })}
            </ul>
          )
        }
      </QueryView>
      {query.hasNextPage && (
        <div className="border-t border-line p-2 text-center">
          <Button look="quiet" onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

function useRecords(kind: Kind, prefix: string) {
  const { client, account } = useAccess();
  const { user_dataset_id, item_dataset_id } = useProject();
  return useInfiniteQuery({
    queryKey: [
      account.account_id,
      'records',
      kind,
      kind === 'users' ? user_dataset_id : item_dataset_id,
      prefix,
    ],
    queryFn: async ({ signal, pageParam }): Promise<RecordPage> => {
      const page = {
        page_size: pageSize,
        page_token: pageParam,
        id_prefix: prefix === '' ? undefined : prefix,
      };
      if (kind === 'users') {
        const { users, next_page_token } = await client.listDatasetUsers(
          { user_dataset_id, ...page },
          { signal },
        );
        return {
          records: users.map(({ user_id, attributes }) => ({ kind, id: user_id, attributes })),
          next_page_token,
        };
      }
      const { items, next_page_token } = await client.listDatasetItems(
        { item_dataset_id, ...page },
        { signal },
      );
      return {
        records: items.map(({ item_id, attributes }) => ({ kind, id: item_id, attributes })),
        next_page_token,
      };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
    placeholderData: (previous) => previous,
  });
}
