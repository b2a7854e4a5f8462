import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { Combobox } from '../components/combobox.tsx';
import { formatCount } from '../format.ts';
import { useAccess } from '../session/access.tsx';
import { searchRetryMs, useItemLook } from '../use/items.ts';
import { useProject } from '../use/projects.ts';
import { useSettled } from '../use-settled.ts';
import { titleOf } from './describe-item.ts';

const suggestions = 12;

/** Finds an item by words of its title or ID, in the whole dataset. */
export function ItemFinder({ label, onChoose }: { label: string; onChoose: (itemId: string) => void }) {
  const [text, setText] = useState('');
  const look = useItemLook();
  const found = useFoundItems(useSettled(text.trim()), look.title);
  const choices = (found.data?.items ?? []).map((item) => {
    const title = titleOf(item.item_id, item, look);
    return {
      id: item.item_id,
      label: (
        <>
          <span className="font-medium">{title}</span>{' '}
          {title !== item.item_id && <span className="text-sm text-muted">{item.item_id}</span>}
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
      isLoading={found.isFetching}
      note={found.data && noteOf(found.data)}
      onChoose={(id) => {
        setText('');
        onChoose(id);
      }}
    />
  );
}

function useFoundItems(text: string, title: string | undefined) {
  const { client, account } = useAccess();
  const { project_id } = useProject();
  const attributes = title === undefined ? [] : [title];
  return useQuery({
    queryKey: [account.account_id, 'find-items', project_id, text, attributes],
    queryFn: ({ signal }) =>
      client.findItems(
        { project_id, text, text_attributes: attributes, attributes, limit: suggestions },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => searchRetryMs(state.data?.is_complete, state.dataUpdateCount),
  });
}

interface Found {
  readonly items: readonly unknown[];
  readonly match_count: number;
  readonly is_complete: boolean;
}

/** What the list leaves out. */
function noteOf({ items, match_count, is_complete }: Found): string | undefined {
  if (!is_complete) return 'Still looking through the items…';
  if (match_count === 0) return 'No item contains all of these words.';
  const more = match_count - items.length;
  return more > 0 ? `${formatCount(more)} more: type on to narrow them down.` : undefined;
}
