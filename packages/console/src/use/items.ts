import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { Tastegraph } from '@tastegraph/sdk';
import { useMemo } from 'react';
import { type Attributes, type ItemLook, itemLook, titleOf } from '../items/describe-item.ts';
import { useAccess } from '../session/access.tsx';
import { useProject } from './projects.ts';

/** Enough to see which attributes items have, and some of their values. */
const sampleSize = 100;
const keptMs = 5 * 60_000;

/** The first items of a dataset. */
export const itemSampleQuery = (client: Tastegraph, accountId: string, item_dataset_id: string) =>
  queryOptions({
    queryKey: [accountId, 'item-sample', item_dataset_id],
    queryFn: async ({ signal }) =>
      (await client.listDatasetItems({ item_dataset_id, page_size: sampleSize }, { signal })).items,
    staleTime: keptMs,
  });

export function useItemSample() {
  const { client, account } = useAccess();
  return useQuery(itemSampleQuery(client, account.account_id, useProject().item_dataset_id));
}

/** How the project's items are shown. */
export function useItemLook(): ItemLook {
  const { title_attribute, picture_attribute } = useProject();
  const { data } = useItemSample();
  return useMemo(
    () =>
      itemLook(
        { title_attribute, picture_attribute },
        (data ?? []).map(({ attributes }) => attributes),
      ),
    [title_attribute, picture_attribute, data],
  );
}

/** The attributes of items that are shown, by ID. One call reads all that are not known yet. Items without a record are absent. */
export function useItems(ids: readonly string[]): ReadonlyMap<string, Attributes> {
  const { client, account } = useAccess();
  const { project_id, item_dataset_id } = useProject();
  const look = useItemLook();
  const cache = useQueryClient();
  const attributes = useMemo(() => shownAttributes(look), [look]);
  const unique = useMemo(() => [...new Set(ids)].toSorted(), [ids]);
  const { data } = useQuery({
    queryKey: [account.account_id, 'items-by-id', item_dataset_id, attributes, unique],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, Attributes>> => {
      const known = knownItems(cache, [account.account_id, 'items-by-id', item_dataset_id, attributes]);
      const missing = unique.filter((id) => !known.has(id));
      for (let from = 0; from < missing.length; from += maxIds) {
        const item_ids = missing.slice(from, from + maxIds);
        const { items } = await client.findItems({ project_id, item_ids, attributes }, { signal });
        for (const item of items) known.set(item.item_id, item);
      }
      return new Map(
        unique.flatMap((id) => {
          const item = known.get(id);
          return item ? [[id, item] as const] : [];
        }),
      );
    },
    enabled: unique.length > 0,
    placeholderData: keepPreviousData,
    staleTime: keptMs,
  });
  return data ?? noItems;
}

/** The most IDs per call. */
const maxIds = 1000;
const noItems: ReadonlyMap<string, Attributes> = new Map();

/** What has been read of other lists: the next user's history shares items with that of the one before. */
function knownItems(cache: QueryClient, queryKey: readonly unknown[]): Map<string, Attributes> {
  const lists = cache.getQueriesData<ReadonlyMap<string, Attributes>>({ queryKey });
  return new Map(lists.flatMap(([, items]) => [...(items ?? noItems)]));
}

/** The attributes that lists of items show. */
export const shownAttributes = ({ title, picture, details }: ItemLook): string[] =>
  [title, picture, ...details].filter((name) => name !== undefined);

/** The titles of items by ID: the ID itself until the title is known. */
export function useTitles(ids: readonly string[]): (itemId: string) => string {
  const items = useItems(ids);
  const look = useItemLook();
  return (itemId) => titleOf(itemId, items.get(itemId) ?? {}, look);
}

/** The names of item attributes: those of the dataset's schema, then those of its first items. */
export function useItemAttributes(itemDatasetId: string) {
  const { client, account } = useAccess();
  return useQuery({
    queryKey: [account.account_id, 'item-attributes', itemDatasetId],
    queryFn: async ({ signal, client: cache }): Promise<readonly string[]> => {
      const [{ attribute_schema }, items] = await Promise.all([
        client.getItemDataset({ item_dataset_id: itemDatasetId }, { signal }),
        cache.query(itemSampleQuery(client, account.account_id, itemDatasetId)),
      ]);
      const inItems = items.flatMap(({ attributes }) => Object.keys(attributes));
      return [...new Set([...Object.keys(attribute_schema ?? {}), ...inItems])];
    },
    staleTime: 60_000,
  });
}

/** In ms: soon at first, then less and less often. */
const firstMs = 200;
const lastMs = 2000;

/** When to ask again for a search that ended before it had looked at all items: each search continues the one before. */
export const searchRetryMs = (isComplete: boolean | undefined, answers: number): number | false =>
  isComplete === false && Math.min(lastMs, firstMs * 2 ** (answers - 1));
