import { type Server, serve } from '../../serving/serve.ts';
import type { Handlers } from '../handlers.ts';

export function recommendHandlers(server: Server) {
  return {
    recommendItemsToUser: async ({ accountId }, request) => serve(server, accountId, request),
  } as const satisfies Handlers;
}
