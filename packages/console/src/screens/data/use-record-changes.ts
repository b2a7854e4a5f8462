import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Attributes } from '../../items/describe-item.ts';
import { useAccess } from '../../session/access.tsx';
import { useProject } from '../../use/projects.ts';
import type { FoundRecord } from './use-records.ts';

/** All attributes of a record: a search returns only some of them. */
export function useRecord({ kind, id }: FoundRecord) {
  const { client, account } = useAccess();
  const { user_dataset_id, item_dataset_id } = useProject();
  return useQuery({
    queryKey: [account.account_id, 'record', kind, user_dataset_id, item_dataset_id, id],
    queryFn: async ({ signal }): Promise<Attributes> => {
      const { attributes } =
        kind === 'users'
          ? await client.getDatasetUser({ user_dataset_id, user_id: id }, { signal })
          : await client.getDatasetItem({ item_dataset_id, item_id: id }, { signal });
      return attributes;
    },
  });
}

function useRefresh() {
  const queryClient = useQueryClient();
  const { account } = useAccess();
  return async () => {
    for (const part of ['records', 'record', 'items', 'datasets'])
      await queryClient.invalidateQueries({ queryKey: [account.account_id, part] });
  };
}

/** Changes the attributes that are named and leaves the others. */
export function useChangeRecord({ kind, id }: FoundRecord) {
  const { client } = useAccess();
  const { user_dataset_id, item_dataset_id } = useProject();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (attributes: Record<string, unknown>) => {
      const mode = 'MERGE';
      const changed = attributes as Attributes;
      const { failures } =
        kind === 'users'
          ? await client.upsertDatasetUsers({
              user_dataset_id,
              mode,
              users: [{ user_id: id, attributes: changed }],
            })
          : await client.upsertDatasetItems({
              item_dataset_id,
              mode,
              items: [{ item_id: id, attributes: changed }],
            });
      const [failure] = failures;
      if (failure) throw new Error(failure.message);
    },
    onSuccess: refresh,
  });
}

export function useDeleteRecord({ kind, id }: FoundRecord) {
  const { client } = useAccess();
  const { user_dataset_id, item_dataset_id } = useProject();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (): Promise<void> => {
      if (kind === 'users') await client.deleteDatasetUsers({ user_dataset_id, ids: [id] });
      else await client.deleteDatasetItems({ item_dataset_id, ids: [id] });
    },
    onSuccess: refresh,
  });
}
