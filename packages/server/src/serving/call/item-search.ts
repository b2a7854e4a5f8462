import type { Handlers } from '../../http/handlers.ts';
import { serveFindItems } from '../search/serve-find-items.ts';
import type { ServerContext } from './serve.ts';

export function itemSearchHandlers(server: ServerContext) {
  return {
    findItems: (caller, request) => serveFindItems(server, caller.accountId, request),
  } as const satisfies Handlers;
}
