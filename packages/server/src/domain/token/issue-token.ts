import { apiKeyPattern, limits, type TokenResponse } from '@tastegraph/contract';
import { SignJWT } from 'jose';
import { findApiKey } from '../../storage/postgres/api-keys.ts';
import type { Database } from '../../storage/postgres/pool.ts';
import type { RateLimit } from '../../storage/redis/rate-limit.ts';
import { operationPaths } from '../account/operations.ts';
import { isSecret } from '../account/secrets.ts';
import { Fault } from '../fault.ts';
import { type SigningKeys, signingAlgorithm } from './signing-keys.ts';

export const issuer = 'tastegraph';

const apiKeyForm = new RegExp(apiKeyPattern);

/** An error of the token endpoint, as RFC 6749, section 5.2, names them. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
  readonly error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope';

  constructor(error: TokenRefusal['error'], description: string) {
    super(description);
    this.error = error;
  }
}

export interface TokenRequest {
  readonly grantType: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly address: string;
}

export interface TokenIssuer {
  readonly db: Database;
  readonly signingKeys: SigningKeys;
  /** Requests by key, and requests by address. */
  readonly limits: { byKey: RateLimit; byAddress: RateLimit };
}

export async function issueToken(issuing: TokenIssuer, request: TokenRequest): Promise<TokenResponse> {
  await holdToLimit(issuing.limits.byAddress, request.address);
  if (request.grantType !== 'client_credentials') {
    throw new TokenRefusal('unsupported_grant_type', 'grant_type must be client_credentials.');
  }
  const key = apiKeyForm.test(request.clientId) ? await findApiKey(issuing.db, request.clientId) : undefined;
  // A key that is not there is compared all the same: the answer's time does not tell the two apart.
  const salt = key?.secret_salt ?? Buffer.alloc(16);
  const matches = isSecret(request.clientSecret, salt, key?.secret_hash ?? Buffer.alloc(32));
  if (!key || !matches || key.revoked_ts !== null) {
    throw new TokenRefusal(
      'invalid_client',
      'The API key and secret do not belong together, or the key was revoked.',
    );
  }
  // Only now: whoever knows a key's public half must not be able to use up what its owner may ask.
  await holdToLimit(issuing.limits.byKey, key.api_key);
  const scope = parseScope(request.scope, key.operations).join(' ');
  const { kid, privateKey } = await issuing.signingKeys.current();
  const access_token = await new SignJWT({ client_id: key.api_key, scope })
    .setProtectedHeader({ alg: signingAlgorithm, kid, typ: 'at+jwt' })
    .setIssuer(issuer)
    .setSubject(key.account_id)
    .setIssuedAt()
    .setExpirationTime(`${limits.tokenTtlSeconds} s`)
    .sign(privateKey);
  return { access_token, token_type: 'Bearer', expires_in: limits.tokenTtlSeconds, scope };
}

async function holdToLimit(limit: RateLimit, key: string): Promise<void> {
  const taken = await limit.take(key);
  if (taken.allowed) return;
  throw new Fault(
    'TOO_MANY_REQUESTS',
    'Too many token requests. Keep a token for its hour instead of asking for one a call.',
    {
      retryAfterSeconds: taken.retryAfterSeconds,
    },
  );
}

function parseScope(scope: string, allowed: readonly string[] | null): string[] {
  const paths = [...new Set(scope.split(' ').filter((path) => path !== ''))];
  if (paths.length === 0) {
    throw new TokenRefusal(
      'invalid_scope',
      'scope must be one or more operation paths separated by spaces, as "/get-job".',
    );
  }
  const unknown = paths.find((path) => !operationPaths.has(path));
  if (unknown !== undefined) {
    throw new TokenRefusal(
      'invalid_scope',
      `There is no operation ${JSON.stringify(unknown.slice(0, 100))}.`,
    );
  }
  const denied = paths.find((path) => allowed !== null && !allowed.includes(path));
  if (denied !== undefined) {
    throw new TokenRefusal('invalid_scope', `This API key is limited to other operations than ${denied}.`);
  }
  return paths;
}
