import { endpoints, type OperationName } from '@tastegraph/contract';
import type { FastifyRequest } from 'fastify';
import type { Authenticator, Identity } from '../keys/authenticate.ts';
import { parseWriteKey, type SentWriteKey } from '../keys/parse-write-key.ts';
import type { WriteKeys } from '../keys/write-keys.ts';
import { authorizeSession } from '../people/authorize.ts';
import type { Cookie } from '../people/console/cookie.ts';
import type { Sessions } from '../people/sessions.ts';
import { ApiError } from './api-error.ts';
import { parseBasic } from './basic.ts';

export interface CallerParts {
  readonly authenticator: Authenticator;
  readonly writeKeys: WriteKeys;
  readonly sessions: Sessions;
  readonly cookie: Cookie;
}

/**
 * Identifies the caller of an operation: by write key, by API key and token, or else by the cookie of a session. A call with a
 * key is never taken for one of the person in the same browser.
 */
export async function identify(
  { authenticator, writeKeys, sessions, cookie }: CallerParts,
  request: FastifyRequest,
  operation: OperationName,
): Promise<Identity> {
  const { authorization } = request.headers;
  const apiKey = singleHeader(request, 'apikey');
  const writeKey = writeKeyOf(authorization);
  if (writeKey) return writeKeys.authenticate(writeKey, apiKey, endpoints[operation][1]);
  const token = cookie.read(request.headers.cookie);
  if (authorization !== undefined || apiKey !== undefined || token === undefined)
    return authenticator.authenticate(authorization, apiKey, endpoints[operation][1]);
  const csrfToken = singleHeader(request, 'tastegraph-csrf');
  const accountId = singleHeader(request, 'tastegraph-account');
  return authorizeSession(sessions, { token, csrfToken, accountId }, operation);
}

/** Identifies the sender of messages, who must have a write key. `path` is that of the call. */
export async function identifyWriter(
  { writeKeys }: Pick<CallerParts, 'writeKeys'>,
  request: FastifyRequest,
  path: string,
): Promise<Identity> {
  const writeKey = writeKeyOf(request.headers.authorization);
  if (writeKey) return writeKeys.authenticate(writeKey, singleHeader(request, 'apikey'), path);
  throw new ApiError(
    'UNAUTHENTICATED',
    'The write key is missing or malformed. Send it as the user name of HTTP Basic authentication, with an empty password. /create-write-key creates one.',
  );
}

/** What a use case knows about the caller. */
export function callerOf({ accountId, callerId, mayCall, writeScope }: Identity) {
  return { accountId, callerId, mayCall, ...(writeScope && { writeScope }) };
}

/** As a bearer token, or as the user name of Basic authentication, whose password is ignored. */
function writeKeyOf(authorization: string | undefined): SentWriteKey | undefined {
  const sent = /^Bearer (\w+)$/i.exec(authorization ?? '')?.[1] ?? parseBasic(authorization)?.id;
  return sent === undefined ? undefined : parseWriteKey(sent);
}

function singleHeader(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}
