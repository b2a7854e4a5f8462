import { useQuery } from '@tanstack/react-query';
import { itemSampleQuery } from '../items/use-items.ts';
import { useAccess } from '../session/access.tsx';

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
