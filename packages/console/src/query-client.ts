import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '@tastegraph/sdk';
import { sessionQuery } from './session/session.ts';

/** A session that ended is looked up again, which leads to the sign-in screen. */
function onError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401)
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // The SDK retries what is safe to retry. A browser that says it is offline still reaches a service on the same machine, and
    // otherwise an error says more than a list that loads forever.
    queries: { retry: false, staleTime: 10_000, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});
