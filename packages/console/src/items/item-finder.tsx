import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { Combobox } from '../components/combobox.tsx';
import { useProject } from '../projects/project-context.ts';
import { useAccess } from '../session/access.tsx';
import { titleOf } from './describe-item.ts';
import { useItemLook, useItemSample } from './use-items.ts';

const suggestions = 12;

/** Finds an item by the start of its ID in the whole dataset, or by its title among the first items. */
export function ItemFinder({ label, onChoose }: { label: string; onChoose: (itemId: string) => void }) {
  const { client, account } = useAccess();
  const { item_dataset_id } = useProject();
  const sample = useItemSample();
  const [text, setText] = useState('');
  const prefix = text.trim();
  const byId = useQuery({
    queryKey: [account.account_id, 'items', item_dataset_id, prefix],
    queryFn: async ({ signal }) =>
      (
        await client.listDatasetItems(
          { item_dataset_id, page_size: suggestions, id_prefix: prefix === '' ? undefined : prefix },
          { signal },
        )
      ).items,
    placeholderData: keepPreviousData,
  });
  const look = useItemLook();
  const byTitle = (sample.data ?? []).filter(({ item_id, attributes }) =>
    titleOf(item_id, attributes, look).toLowerCase().includes(prefix.toLowerCase()),
  );
  const found = new Map([...byTitle, ...(byId.data ?? [])].map((item) => [item.item_id, item]));
  const choices = [...found.values()].slice(0, suggestions).map(({ item_id, attributes }) => {
    const title = titleOf(item_id, attributes, look);
    return {
      id: item_id,
      label: (
        <>
          <span className="font-medium">{title}</span>{' '}
          {title !== item_id && <span className="text-sm text-muted">{item_id}</span>}
        </>
      ),
    };
  });
  return (
    <Combobox
      label={label}
      placeholder="Title or item ID"
      icon={<Search aria-hidden />}
      text={text}
      onText={setText}
      choices={choices}
      isLoading={byId.isFetching}
      onChoose={(id) => {
        setText('');
        onChoose(id);
      }}
    />
  );
}
