import { useInfiniteQuery } from '@tanstack/react-query';
import { formatCount } from '../../format.ts';
import type { Attributes } from '../../items/describe-item.ts';
import { useAccess } from '../../session/access.tsx';
import { searchRetryMs, useItemAttributes, useItemLook } from '../../use/items.ts';
import { useProject } from '../../use/projects.ts';

export interface FoundRecord {
  readonly kind: 'users' | 'items';
  readonly id: string;
  readonly attributes: Attributes;
}

interface RecordPage {
  readonly records: readonly FoundRecord[];
  readonly next_page_token: string | null;
  /** What the page leaves out. */
  readonly note?: string | undefined;
  /** False if the search ended before it had looked at all items. */
  readonly isComplete?: boolean;
}

const pageSize = 25;
/** Matches of a search for items. More are not worth reading; another word narrows them down. */
const maxMatches = 100;

/** Users by the start of their ID, or items by words of their title or ID; without a text, all of them in the order of their IDs. */
export function useRecords(kind: FoundRecord['kind'], text: string) {
  const { account } = useAccess();
  const { user_dataset_id, item_dataset_id } = useProject();
  const listUsers = useListUsers(text);
  const listItems = useListItems();
  const searchItems = useSearchItems(text);
  const datasetId = kind === 'users' ? user_dataset_id : item_dataset_id;
  return useInfiniteQuery({
    queryKey: [account.account_id, 'records', kind, datasetId, text],
    queryFn: ({ signal, pageParam }): Promise<RecordPage> => {
      if (kind === 'users') return listUsers(signal, pageParam);
      return text === '' ? listItems(signal, pageParam) : searchItems(signal);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_page_token }) => next_page_token ?? undefined,
    placeholderData: (previous) => previous,
    refetchInterval: ({ state }) =>
      searchRetryMs(state.data?.pages.at(-1)?.isComplete, state.dataUpdateCount),
  });
}

const recordOf = (kind: FoundRecord['kind'], id: string, attributes: Attributes): FoundRecord => ({
  kind,
  id,
  attributes,
});

type List = (signal: AbortSignal, page_token: string | undefined) => Promise<RecordPage>;

function useListUsers(text: string): List {
  const { client } = useAccess();
  const { user_dataset_id } = useProject();
  return async (signal, page_token) => {
    const id_prefix = text === '' ? undefined : text;
    const request = { user_dataset_id, page_size: pageSize, page_token, id_prefix };
    const { users, next_page_token } = await client.listDatasetUsers(request, { signal });
    const records = users.map(({ user_id, attributes }) => recordOf('users', user_id, attributes));
    return { records, next_page_token };
  };
}

function useListItems(): List {
  const { client } = useAccess();
  const { item_dataset_id } = useProject();
  return async (signal, page_token) => {
    const request = { item_dataset_id, page_size: pageSize, page_token };
    const { items, next_page_token } = await client.listDatasetItems(request, { signal });
    const records = items.map(({ item_id, attributes }) => recordOf('items', item_id, attributes));
    return { records, next_page_token };
  };
}

function useSearchItems(text: string): (signal: AbortSignal) => Promise<RecordPage> {
  const { client } = useAccess();
  const { project_id, item_dataset_id } = useProject();
  const { title } = useItemLook();
  const { data: attributes = [] } = useItemAttributes(item_dataset_id);
  return async (signal) => {
    const { items, match_count, is_complete } = await client.findItems(
      {
        project_id,
        text,
        text_attributes: title === undefined ? [] : [title],
        attributes: [...attributes],
        limit: maxMatches,
      },
      { signal },
    );
    const records = items.map(({ item_id, ...all }) => {
      const known = Object.entries(all).filter(([, value]) => value !== null);
      return recordOf('items', item_id, Object.fromEntries(known));
    });
    const more = match_count - items.length;
    const left = more > 0 ? `${formatCount(more)} more: type on to narrow them down.` : undefined;
    return {
      records,
      next_page_token: null,
      note: is_complete ? left : 'Still looking through the items…',
      isComplete: is_complete,
    };
  };
}
