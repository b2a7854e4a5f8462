import clsx from 'clsx';
import { FileUp, Inbox } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Input } from '../../components/field.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { TabList, TabPanel, Tabs } from '../../components/tabs.tsx';
import { chooseFile } from '../../import/drop-zone.tsx';
import { pictureOf, titleOf } from '../../items/describe-item.ts';
import { describeUser } from '../../items/describe-user.ts';
import { ItemPicture } from '../../items/item-picture.tsx';
import { useMay } from '../../session/access.tsx';
import { useDatasets } from '../../use/datasets.ts';
import { useItemLook } from '../../use/items.ts';
import { useSettled } from '../../use-settled.ts';
import { RecordDialog } from './record-dialog.tsx';
import { type FoundRecord, useRecords } from './use-records.ts';

type Kind = FoundRecord['kind'];

/** Users by the start of their ID and items by words, a page at a time: a dataset may have millions. */
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

function NoRecords({ kind, isFiltered }: { kind: Kind; isFiltered: boolean }) {
  const canImport = useMay('upsertDatasetUsers');
  const dataset = useDatasets().data?.find((one) => one.kind === kind)?.name ?? 'NAME';
  if (isFiltered)
    return (
      <EmptyState icon={Inbox} title={`No ${kind} found`}>
        {kind === 'users'
          ? 'No user ID starts with this text. Upper and lower case are different.'
          : 'No title and no ID contains all of these words.'}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={Inbox}
      title={`No ${kind} yet`}
      action={
        canImport && (
          <Button look="primary" onClick={chooseFile}>
            <FileUp aria-hidden /> Import a file of {kind}
          </Button>
        )
      }
    >
      {kind === 'users'
        ? 'A file with one row per user: an ID, and any attributes such as country or age group. Users are optional: items and events are enough to train a model.'
        : 'A file with one row per item: an ID, a title, and any attributes such as category or price.'}{' '}
      On the command line:{' '}
      <code className="text-ink">{`tastegraph import ${kind} ${kind}.csv --dataset "${dataset}"`}</code>
    </EmptyState>
  );
}

function RecordList({ kind, onOpen }: { kind: Kind; onOpen: (record: FoundRecord) => void }) {
  const [prefix, setPrefix] = useState('');
  const look = useItemLook();
  const query = useRecords(kind, useSettled(prefix.trim()));
  const found = query.data?.pages.flatMap(({ records }) => records);
  const note = query.data?.pages.at(-1)?.note;
  const label = kind === 'users' ? 'Find users by the start of their ID' : 'Find items by title or ID';
  return (
    <>
      <div className="p-3">
        <Input type="search" placeholder={label} aria-label={label} value={prefix} onChange={setPrefix} />
      </div>
      <QueryView query={{ ...query, data: found }} lines={6}>
        {(records) =>
          records.length === 0 ? (
            <NoRecords kind={kind} isFiltered={prefix !== ''} />
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
                      className="flex w-full items-center gap-3 px-4 py-2 text-left hover:bg-sunken"
                    >
                      {kind === 'items' && (
                        <ItemPicture
                          src={pictureOf(record.attributes, look)}
                          title={title}
                          className="size-8"
                        />
                      )}
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
      {note !== undefined && (
        <p role="status" className="border-t border-line px-4 py-2 text-sm text-muted">
          {note}
        </p>
      )}
      <ShowMore query={query} />
    </>
  );
}
