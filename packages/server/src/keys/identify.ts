import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import { type Called, type Identity, parseBasic, singleHeader } from '../http/identity.ts';
import type { Authenticator } from './authenticate.ts';
import { parseWriteKey, type SentWriteKey } from './parse-write-key.ts';
import type { WriteKeys } from './write-keys.ts';

/** Identifies the caller by write key, or by API key and token. Routes that are no operations accept write keys only. */
export async function identifyKey(
  { authenticator, writeKeys }: { readonly authenticator: Authenticator; readonly writeKeys: WriteKeys },
  request: FastifyRequest,
  { path, operation }: Called,
): Promise<Identity> {
  const { authorization } = request.headers;
  const apiKey = singleHeader(request, 'apikey');
  const writeKey = writeKeyOf(authorization);
  if (writeKey) return writeKeys.authenticate(writeKey, apiKey, path);
  if (operation !== undefined) return authenticator.authenticate(authorization, apiKey, path);
  throw new ApiError(
    'UNAUTHENTICATED',
    'The write key is missing or malformed. Send it as the user name of HTTP Basic authentication, with an empty password. /create-write-key creates one.',
  );
}

/** As a bearer token, or as the user name of Basic authentication, whose password is ignored. */
function writeKeyOf(authorization: string | undefined): SentWriteKey | undefined {
  const sent = /^Bearer (\w+)$/i.exec(authorization ?? '')?.[1] ?? parseBasic(authorization)?.id;
  return sent === undefined ? undefined : parseWriteKey(sent);
}
