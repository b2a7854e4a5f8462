import { serveFindItems } from '../../serving/item-search/serve-find-items.ts';
import type { ServerContext } from '../../serving/serve.ts';
import type { Handlers } from '../handlers.ts';

export function itemSearchHandlers(server: ServerContext) {
  return {
    findItems: (caller, request) => serveFindItems(server, caller.accountId, request),
  } as const satisfies Handlers;
}
