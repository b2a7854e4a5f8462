import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Tastegraph } from '@tastegraph/sdk';
import { useAccess } from '../session/access.tsx';

interface ChangeOptions {
  /** Also after a call that failed, which may have found that somebody else changed it. */
  readonly isReadAfterErrors?: boolean;
  /** A response with a secret is not kept in the cache of mutations. */
  readonly hasSecret?: boolean;
}

/** A call that changes something. What shows it is read again: `stale` has the starts of query keys, without the account. */
export function useChange<Argument, Result>(
  call: (client: Tastegraph, argument: Argument) => Promise<Result>,
  stale: readonly QueryKey[],
  { isReadAfterErrors = false, hasSecret = false }: ChangeOptions = {},
) {
  const { client, account } = useAccess();
  const queryClient = useQueryClient();
  const refresh = async () => {
    for (const key of stale) await queryClient.invalidateQueries({ queryKey: [account.account_id, ...key] });
  };
  return useMutation({
    mutationFn: (argument: Argument) => call(client, argument),
    ...(isReadAfterErrors ? { onSettled: refresh } : { onSuccess: refresh }),
    ...(hasSecret && { gcTime: 0 }),
  });
}
