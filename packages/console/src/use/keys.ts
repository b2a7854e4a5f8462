import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Request, Response } from '@tastegraph/sdk';
import { useAccess, useMay } from '../session/access.tsx';

export type ApiKey = Response<'getApiKey'>;

const pageSize = 100;

/** The API keys of the account, newest first, for those who may see them. */
export function useKeys() {
  const { client, account } = useAccess();
  return useInfiniteQuery({
    queryKey: [account.account_id, 'api-keys'],
    enabled: useMay('listApiKeys'),
    queryFn: async ({ signal, pageParam }) =>
      client.listApiKeys({ page_size: pageSize, ...(pageParam && { page_token: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_page_token }) => next_page_token,
    select: ({ pages }) => pages.flatMap(({ api_keys }) => api_keys),
  });
}

/** Without a name, what can be told apart of the key: the start is the same for all. */
export const nameOfKey = ({ name, api_key }: Pick<ApiKey, 'name' | 'api_key'>) =>
  name ?? `Key …${api_key.slice(-6)}`;

function useRefresh() {
  const queryClient = useQueryClient();
  const { account } = useAccess();
  return () => queryClient.invalidateQueries({ queryKey: [account.account_id, 'api-keys'] });
}

export function useCreateKey() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (key: Request<'createApiKey'>) => client.createApiKey(key),
    onSuccess: refresh,
    // The secret is not kept in the cache of mutations.
    gcTime: 0,
  });
}

/** A key that writes to the project's datasets, without tokens. */
export function useCreateWriteKey() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (key: Request<'createWriteKey'>) => client.createWriteKey(key),
    onSuccess: refresh,
    // The key is not kept in the cache of mutations.
    gcTime: 0,
  });
}

export function useUpdateKey() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (change: Request<'updateApiKey'>) => client.updateApiKey(change),
    onSuccess: refresh,
  });
}

export function useRevokeKey() {
  const { client } = useAccess();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (api_key: string) => client.revokeApiKey({ api_key }),
    onSuccess: refresh,
  });
}
