import { apiKeyPattern } from '@tastegraph/contract';
import { errors as joseErrors, jwtVerify } from 'jose';
import { ApiError } from '../http/api-error.ts';
import type { Identity } from '../http/identity.ts';
import { FairCache } from '../kernel/lib/fair-cache.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import { issuer } from './issue-token.ts';
import { KeyCache, type KeyCheckOptions } from './key-cache.ts';
import { type ApiKeyState, listApiKeyStates } from './rows.ts';
import { type SigningKeys, signingAlgorithm } from './signing-keys.ts';

interface Claims extends Omit<Identity, 'mayCall'> {
  /** The signing key. When it is removed, the tokens signed with it become invalid. */
  readonly kid: string | undefined;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAtMs: number;
}

/** A verified token takes about this many times its text, of about 1 kB. */
const bytesPerCharacter = 4;
/** Of a key with its state. */
const keyBytes = 500;

/** Identifies the caller and checks that the token allows the operation. Caches verified tokens and keys. */
export class Authenticator {
  readonly #onUse: (apiKey: string) => void;
  readonly #signingKeys: SigningKeys;
  /** By API key: one with many tokens does not evict those of others. */
  readonly #tokens: FairCache<Claims>;
  readonly #keys: KeyCache<ApiKeyState>;

  constructor(db: Database, signingKeys: SigningKeys, { cacheBytes, onUse }: KeyCheckOptions) {
    this.#onUse = onUse;
    this.#signingKeys = signingKeys;
    this.#tokens = new FairCache({
      maxSize: Math.ceil(cacheBytes),
      sizeOf: (_, token) => bytesPerCharacter * token.length,
    });
    this.#keys = new KeyCache(Math.ceil(cacheBytes / keyBytes), (apiKeys) => listApiKeyStates(db, apiKeys));
  }

  async authenticate(
    authorization: string | undefined,
    apiKey: string | undefined,
    operationPath: string,
  ): Promise<Identity> {
    const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) {
      throw unauthenticated(
        'The token is missing or malformed. Send it as the header "Authorization: Bearer <token>".',
      );
    }
    if (apiKey === undefined || !new RegExp(apiKeyPattern).test(apiKey)) {
      throw unauthenticated('The API key is missing or malformed. Send it as the header "APIKey".');
    }
    const claims = await this.#verify(token, apiKey);
    if (claims.callerId !== apiKey) {
      throw unauthenticated(
        'The token was not issued to this API key. Request a token with this key from /oauth/token.',
      );
    }
    const state = await this.#keys.find(apiKey);
    if (!state) throw unauthenticated('The API key was revoked. Ask the operator for a new one.');
    if (
      !claims.scopes.has(operationPath) ||
      (state.operations && !state.operations.includes(operationPath))
    ) {
      throw new ApiError(
        'SCOPE_MISSING',
        `The token's scope does not include ${operationPath}. Request a token with that scope from /oauth/token.`,
      );
    }
    this.#onUse(apiKey);
    const { operations } = state;
    const { accountId, callerId } = claims;
    return { accountId, callerId, mayCall: (path) => operations === null || operations.includes(path) };
  }

  async #verify(token: string, apiKey: string): Promise<Claims> {
    const cached = this.#tokens.get(apiKey, token);
    if (cached && cached.expiresAtMs <= Date.now()) {
      throw unauthenticated('The token has expired. Get a new one from /oauth/token.');
    }
    if (cached && (await this.#signingKeys.find(cached.kid))) return cached;
    try {
      const { payload, protectedHeader } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = await this.#signingKeys.find(kid);
          if (!key) throw new joseErrors.JWKSNoMatchingKey();
          return key;
        },
        { algorithms: [signingAlgorithm], issuer, requiredClaims: ['sub', 'client_id', 'scope', 'exp'] },
      );
      const claims: Claims = {
        kid: protectedHeader.kid,
        accountId: payload.sub ?? '',
        callerId: String(payload['client_id']),
        scopes: new Set(String(payload['scope']).split(' ')),
        expiresAtMs: (payload.exp ?? 0) * 1000,
      };
      this.#tokens.set(claims.callerId, token, claims);
      return claims;
    } catch (error) {
      if (!(error instanceof joseErrors.JOSEError)) throw error;
      const expired = error instanceof joseErrors.JWTExpired;
      throw unauthenticated(
        `The token ${expired ? 'has expired' : 'is not valid'}. Get a new one from /oauth/token.`,
        error,
      );
    }
  }
}

function unauthenticated(message: string, cause?: unknown): ApiError {
  return new ApiError('UNAUTHENTICATED', message, { cause });
}
