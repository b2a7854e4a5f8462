import { Tastegraph } from '@tastegraph/sdk';
import { fetchOnce } from './early-calls.ts';
import type { Session } from './session.ts';

let latest: { readonly session: string; readonly account: string; readonly client: Tastegraph } | undefined;

/** The API behind the page, with the session's cookie: the same client for the same session and account. */
export function clientOf({ csrf_token }: Session, accountId: string): Tastegraph {
  if (latest?.session !== csrf_token || latest.account !== accountId) {
    const session = { csrfToken: csrf_token, accountId };
    const client = new Tastegraph({ baseUrl: location.origin, session, fetch: fetchOnce });
    latest = { session: csrf_token, account: accountId, client };
  }
  return latest.client;
}
