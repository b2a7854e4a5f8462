import { useQuery } from '@tanstack/react-query';
import type { Attributes } from '../../items/describe-item.ts';
import { useAccess } from '../../session/access.tsx';
import { useChange } from '../../use/change.ts';
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

const stale = [['records'], ['record'], ['items'], ['datasets']];

/** Changes the attributes that are named and leaves the others. */
export function useChangeRecord({ kind, id }: FoundRecord) {
  const { user_dataset_id, item_dataset_id } = useProject();
  return useChange(async (client, changed: Record<string, unknown>) => {
    const mode = 'MERGE';
    const attributes = changed as Attributes;
    const { failures } =
      kind === 'users'
        ? await client.upsertDatasetUsers({ user_dataset_id, mode, users: [{ user_id: id, attributes }] })
        : await client.upsertDatasetItems({ item_dataset_id, mode, items: [{ item_id: id, attributes }] });
    const [failure] = failures;
    if (failure) throw new Error(failure.message);
  }, stale);
}

export function useDeleteRecord({ kind, id }: FoundRecord) {
  const { user_dataset_id, item_dataset_id } = useProject();
  return useChange(async (client): Promise<void> => {
    if (kind === 'users') await client.deleteDatasetUsers({ user_dataset_id, ids: [id] });
    else await client.deleteDatasetItems({ item_dataset_id, ids: [id] });
  }, stale);
}
