import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { NotFoundError, type Tastegraph } from '@tastegraph/sdk';
import { useMemo } from 'react';
import { type Project, useProject } from '../projects/project-context.ts';
import { useAccess } from '../session/access.tsx';
import { type Attributes, type ItemLook, itemLook, titleOf } from './describe-item.ts';

/** Enough to see which attributes items have, and some of their values. */
const sampleSize = 100;
const keptMs = 5 * 60_000;

const itemKey = (accountId: string, project: Project, id: string) => [
  accountId,
  'item',
  project.item_dataset_id,
  id,
];

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
