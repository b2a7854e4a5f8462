import { Tastegraph } from '@tastegraph/sdk';

/** The API behind the page, with the session's cookie. */
export const newClient = (csrfToken: string, accountId: string) =>
  new Tastegraph({ baseUrl: location.origin, session: { csrfToken, accountId } });
