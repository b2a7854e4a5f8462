import { useQueries, useQuery } from '@tanstack/react-query';
import { NotFoundError } from '@tastegraph/sdk';
import { useMemo } from 'react';
import { type Project, useProject } from '../projects/project-context.ts';
import { useAccess } from '../session/access.tsx';
import { type Attributes, guessItemLook, type ItemLook, titleOf } from './describe-item.ts';

/** Enough to see which attributes items have, and to complete titles from. */
const sampleSize = 200;
const keptMs = 5 * 60_000;

const itemKey = (accountId: string, project: Project, id: string) => [
  accountId,
  'item',
  project.item_dataset_id,
  id,
];

/** The first items of the project's dataset, and how items are shown. */
export function useItemSample() {
  const { client, account } = useAccess();
  const { item_dataset_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'item-sample', item_dataset_id],
    queryFn: async ({ signal }) => {
      const { items } = await client.listDatasetItems({ item_dataset_id, page_size: sampleSize }, { signal });
      return { items, look: guessItemLook(items.map(({ attributes }) => attributes)) };
    },
    staleTime: keptMs,
  });
}

const noLook: ItemLook = { title: undefined, picture: undefined, details: [] };

export const useItemLook = (): ItemLook => useItemSample().data?.look ?? noLook;

/** The attributes of items by ID, as they arrive. Items without a record are absent. */
export function useItems(ids: readonly string[]): ReadonlyMap<string, Attributes> {
  const { client, account } = useAccess();
  const project = useProject();
  const unique = useMemo(() => [...new Set(ids)], [ids]);
  return useQueries({
    queries: unique.map((item_id) => ({
      queryKey: itemKey(account.account_id, project, item_id),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { item_dataset_id } = project;
        try {
          return await client.getDatasetItem({ item_dataset_id, item_id }, { signal });
        } catch (error) {
          if (error instanceof NotFoundError) return null;
          throw error;
        }
      },
      staleTime: keptMs,
    })),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => (data ? [[data.item_id, data.attributes] as const] : []))),
  });
}

/** The titles of items by ID: the ID itself until the title is known. */
export function useTitles(ids: readonly string[]): (itemId: string) => string {
  const items = useItems(ids);
  const look = useItemLook();
  return (itemId) => titleOf(itemId, items.get(itemId) ?? {}, look);
}
