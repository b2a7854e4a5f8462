import { useInfiniteQuery } from '@tanstack/react-query';
import type { Request, Response } from '@tastegraph/sdk';
import { useAccess, useMay } from '../session/access.tsx';
import { useChange } from './change.ts';

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

const stale = [['api-keys']];

export const useCreateKey = () =>
  useChange((client, key: Request<'createApiKey'>) => client.createApiKey(key), stale, { hasSecret: true });

/** A key that writes to the project's datasets, without tokens. */
export const useCreateWriteKey = () =>
  useChange((client, key: Request<'createWriteKey'>) => client.createWriteKey(key), stale, {
    hasSecret: true,
  });

export const useUpdateKey = () =>
  useChange((client, change: Request<'updateApiKey'>) => client.updateApiKey(change), stale);

export const useRevokeKey = () =>
  useChange((client, api_key: string) => client.revokeApiKey({ api_key }), stale);
