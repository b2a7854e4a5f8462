import { endpoints, type OperationName } from '@tastegraph/contract';
import type { FastifyRequest } from 'fastify';
import { authorizeSession } from '../domain/person/authorize.ts';
import type { Sessions } from '../domain/person/sessions.ts';
import type { Authenticator, Identity } from '../domain/token/authenticate.ts';
import type { Cookie } from './console/cookie.ts';

export interface CallerParts {
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly cookie: Cookie;
}

/**
 * Identifies the caller of an operation: by API key and token, or else by the cookie of a session. A call with a key is never
 * taken for one of the person in the same browser.
 */
export async function identify(
  { authenticator, sessions, cookie }: CallerParts,
  request: FastifyRequest,
  operation: OperationName,
): Promise<Identity> {
  const { authorization } = request.headers;
  const apiKey = singleHeader(request, 'apikey');
  const token = cookie.read(request.headers.cookie);
  if (authorization !== undefined || apiKey !== undefined || token === undefined)
    return authenticator.authenticate(authorization, apiKey, endpoints[operation][1]);
  const csrfToken = singleHeader(request, 'tastegraph-csrf');
  const accountId = singleHeader(request, 'tastegraph-account');
  return authorizeSession(sessions, { token, csrfToken, accountId }, operation);
}

function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
