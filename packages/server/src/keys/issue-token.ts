import { apiKeyPattern, limits, type TokenResponse } from '@tastegraph/contract';
import { SignJWT } from 'jose';
import { operationPaths } from '../accounts/operations.ts';
import { ApiError } from '../http/api-error.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import type { RateLimit, TakeResult } from '../kernel/redis/token-bucket.ts';
import { findApiKey } from './rows.ts';
import { isSecret, parseWriteKey } from './secrets.ts';
import { type SigningKeys, signingAlgorithm } from './signing-keys.ts';

export const issuer = 'tastegraph';

const apiKeyForm = new RegExp(apiKeyPattern);

/** An error of the token endpoint (RFC 6749, section 5.2). */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly error: 'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope';

  constructor(error: TokenError['error'], description: string) {
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

interface TokenLimits {
  /** Tokens issued per key. */
  readonly issued: RateLimit;
  /** Failures per pair of key and address. */
  readonly failuresOfPair: RateLimit;
  /** Failures per address, over all keys. */
  readonly failuresOfAddress: RateLimit;
}

export interface TokenIssuer {
  readonly db: Database;
  readonly signingKeys: SigningKeys;
  readonly limits: TokenLimits;
  /** Called with the API key of each token that is issued. */
  readonly onUse: (apiKey: string) => void;
}

export async function issueToken(tokenIssuer: TokenIssuer, request: TokenRequest): Promise<TokenResponse> {
  if (request.grantType !== 'client_credentials') {
    throw new TokenError('unsupported_grant_type', 'grant_type must be client_credentials.');
  }
  if (parseWriteKey(request.clientId) || parseWriteKey(request.clientSecret))
    throw new TokenError(
      'invalid_client',
      'A write key gets no tokens. Send it as it is to /upsert-dataset-events, as "Authorization: Bearer <write key>".',
    );
  const isKey = apiKeyForm.test(request.clientId);
  const pair = `${isKey ? request.clientId : 'malformed'} ${request.address}`;
  enforceRateLimit(await tokenIssuer.limits.failuresOfPair.check(pair));
  const key = isKey ? await findApiKey(tokenIssuer.db, request.clientId) : undefined;
  // The secret is compared even if the key does not exist, so that the response time does not reveal which keys exist.
  const salt = key?.secret_salt ?? Buffer.alloc(16);
  const matches = isSecret(request.clientSecret, salt, key?.secret_hash ?? Buffer.alloc(32));
  if (!key || !matches || key.revoked_ts !== null || key.event_dataset_id !== null) {
    await tokenIssuer.limits.failuresOfPair.take(pair);
    // Checked only after a failure, so that other callers behind the same address are not locked out.
    enforceRateLimit(await tokenIssuer.limits.failuresOfAddress.take(request.address));
    throw new TokenError(
      'invalid_client',
      'The API key or its secret is wrong, or the key was revoked. Check client_id and client_secret.',
    );
  }
  // Counted only after the secret was verified: knowing the key alone must not suffice to use up its owner's limit.
  enforceRateLimit(await tokenIssuer.limits.issued.take(key.api_key));
  const scope = parseScope(request.scope, key.operations).join(' ');
  tokenIssuer.onUse(key.api_key);
  const { kid, privateKey } = await tokenIssuer.signingKeys.current();
  const access_token = await new SignJWT({ client_id: key.api_key, scope })
    .setProtectedHeader({ alg: signingAlgorithm, kid, typ: 'at+jwt' })
    .setIssuer(issuer)
    .setSubject(key.account_id)
    .setIssuedAt()
    .setExpirationTime(`${limits.tokenTtlSeconds} s`)
    .sign(privateKey);
  return { access_token, token_type: 'Bearer', expires_in: limits.tokenTtlSeconds, scope };
}

function enforceRateLimit(taken: TakeResult): void {
  if (taken.allowed) return;
  throw new ApiError(
    'TOO_MANY_REQUESTS',
    'Too many token requests. A token is valid for one hour: reuse it instead of requesting one per call.',
    { retryAfterSeconds: taken.retryAfterSeconds },
  );
}

function parseScope(scope: string, allowed: readonly string[] | null): string[] {
  const paths = [...new Set(scope.split(' ').filter((path) => path !== ''))];
  if (paths.length === 0) {
    throw new TokenError(
      'invalid_scope',
      'scope must be one or more operation paths separated by spaces, such as "/get-job /list-jobs".',
    );
  }
  const unknown = paths.find((path) => !operationPaths.has(path));
  if (unknown !== undefined) {
    throw new TokenError(
      'invalid_scope',
      `scope contains an unknown operation: ${JSON.stringify(unknown.slice(0, 100))}. The operations are listed at /docs.`,
    );
  }
  const denied = paths.find((path) => allowed !== null && !allowed.includes(path));
  if (denied !== undefined) {
    throw new TokenError(
      'invalid_scope',
      `This API key does not allow ${denied}. Remove it from scope, or ask the operator to allow it.`,
    );
  }
  return paths;
}
