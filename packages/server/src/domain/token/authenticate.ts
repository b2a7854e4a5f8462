import { apiKeyPattern } from '@tastegraph/contract';
import { errors as joseErrors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { findApiKey } from '../../storage/postgres/api-keys.ts';
import type { Database } from '../../storage/postgres/pool.ts';
import { Fault } from '../fault.ts';
import { issuer } from './issue-token.ts';
import { type SigningKeys, signingAlgorithm } from './signing-keys.ts';

export interface Identity {
  readonly accountId: string;
  readonly apiKey: string;
}

interface Claims extends Identity {
  /** The key it was signed with: when that is dropped, so are the tokens. */
  readonly kid: string | undefined;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAtMs: number;
}

/** What a key was found to be: null when it is revoked or not there. */
type KeyState = { operations: readonly string[] | null } | null;

/**
 * How long a process believes what it read of a key. A revoked key works this much longer at the most; a call
 * is spared a read.
 */
export const keyCacheMs = 2000;

/** Says who calls and whether their token covers the operation. Verified tokens and keys are kept for a while. */
export class Authenticator {
  readonly #db: Database;
  readonly #signingKeys: SigningKeys;
  // A token is about a kilobyte: 10,000 of them are 10 MB at the most.
  readonly #tokens = new LRUCache<string, Claims>({ max: 10_000 });
  readonly #keys = new LRUCache<string, { state: KeyState }>({ max: 10_000, ttl: keyCacheMs });

  constructor(db: Database, signingKeys: SigningKeys) {
    this.#db = db;
    this.#signingKeys = signingKeys;
  }

  async authenticate(
    authorization: string | undefined,
    apiKey: string | undefined,
    operationPath: string,
  ): Promise<Identity> {
    const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw unauthenticated('Send a token as "Authorization: Bearer <token>".');
    if (apiKey === undefined || !new RegExp(apiKeyPattern).test(apiKey)) {
      throw unauthenticated('Send the API key as the header "APIKey".');
    }
    const claims = await this.#verify(token);
    if (claims.apiKey !== apiKey) throw unauthenticated('The token was not issued to this API key.');
    const state = await this.#findKey(apiKey);
    if (!state) throw unauthenticated('The API key was revoked.');
    if (
      !claims.scopes.has(operationPath) ||
      (state.operations && !state.operations.includes(operationPath))
    ) {
      throw new Fault(
        'SCOPE_MISSING',
        `The token's scope does not hold ${operationPath}. Ask for a token with that scope.`,
      );
    }
    return claims;
  }

  async #verify(token: string): Promise<Claims> {
    const known = this.#tokens.get(token);
    if (known && known.expiresAtMs <= Date.now()) {
      throw unauthenticated('The token has expired. Get a new one from /oauth/token.');
    }
    if (known && (await this.#signingKeys.find(known.kid))) return known;
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
        apiKey: String(payload['client_id']),
        scopes: new Set(String(payload['scope']).split(' ')),
        expiresAtMs: (payload.exp ?? 0) * 1000,
      };
      this.#tokens.set(token, claims);
      return claims;
    } catch (error) {
      if (!(error instanceof joseErrors.JOSEError)) throw error;
      const expired = error instanceof joseErrors.JWTExpired;
      throw unauthenticated(
        expired ? 'The token has expired. Get a new one from /oauth/token.' : 'The token is not one of ours.',
        error,
      );
    }
  }

  async #findKey(apiKey: string): Promise<KeyState> {
    const cached = this.#keys.get(apiKey);
    if (cached) return cached.state;
    const row = await findApiKey(this.#db, apiKey);
    const state = row?.revoked_ts === null ? { operations: row.operations } : null;
    this.#keys.set(apiKey, { state });
    return state;
  }
}

function unauthenticated(message: string, cause?: unknown): Fault {
  return new Fault('UNAUTHENTICATED', message, { cause });
}
