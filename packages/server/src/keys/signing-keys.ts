import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '@tastegraph/contract';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import { ApiError } from '../http/api-error.ts';
import type { Database, Queryable } from '../kernel/postgres/pool.ts';
import { deleteOlderSigningKeys, insertSigningKey, listSigningKeys, type SigningKeyRow } from './rows.ts';

export const signingAlgorithm = 'EdDSA';

/** The newest key signs. The previous key still verifies the tokens that it signed. */
const publishedKeys = 2;
/** An arbitrary constant. The lock keeps two processes from creating the first keys at the same time. */
const signingKeysLock = 5_011_771_303n;
/** How long a process caches the keys, and so how long a rotation takes to reach every process. */
const cacheMs = 2000;
/** An unknown `kid` causes a read of the keys, at most this often. */
const refreshMs = 100;

interface SigningKeyPair {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

/** Caches the keys that sign tokens. Reads them again for an unknown `kid`. */
export class SigningKeys {
  readonly #db: Database;
  #pairs: Promise<readonly SigningKeyPair[]> | undefined;
  #readAt = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  async current(): Promise<SigningKeyPair> {
    const [newest] = await this.#read();
    if (!newest) throw new Error('no signing key was found');
    return newest;
  }

  async publicJwks(): Promise<JWK[]> {
    return (await this.#read()).map((pair) => pair.publicJwk);
  }

  /** An unknown `kid` may belong to a key that was just created, so the keys are read again before giving up. */
  async find(kid: string | undefined): Promise<CryptoKey | undefined> {
    const startedAt = Date.now();
    const pick = async () => (await this.#read()).find((pair) => pair.kid === kid)?.publicKey;
    const found = await pick();
    if (found) return found;
    await sleep(Math.max(0, this.#readAt + refreshMs - Date.now()));
    if (this.#readAt <= startedAt) this.#pairs = undefined;
    return pick();
  }

  async #read(): Promise<readonly SigningKeyPair[]> {
    if (Date.now() - this.#readAt > cacheMs) this.#pairs = undefined;
    if (!this.#pairs) {
      this.#readAt = Date.now();
      this.#pairs = readPairs(this.#db);
      this.#pairs.catch(() => {
        this.#pairs = undefined;
      });
    }
    return this.#pairs;
  }
}

/** Refused while tokens of the key that it removes may still be valid, unless forced: a leaked key must be removed at once. */
export async function rotateSigningKeys(db: Database, force: boolean): Promise<{ kid: string }> {
  return db.transaction(async (tx) => {
    await tx.lock(signingKeysLock, 'exclusive');
    const [newest] = await listSigningKeys(tx, 1);
    const ageSeconds = newest ? (Date.now() - newest.created_ts) / 1000 : Number.POSITIVE_INFINITY;
    if (!force && ageSeconds < limits.tokenTtlSeconds) {
      throw new ApiError(
        'INVALID_REQUEST',
        `The last rotation was ${Math.round(ageSeconds)} s ago, and tokens signed with the previous key may still be valid: a token lives ${limits.tokenTtlSeconds} s. Wait, or pass --force to invalidate them now.`,
      );
    }
    // When forced, both published keys are replaced, so that no existing token verifies.
    if (force) await insertNewKey(tx);
    const kid = await insertNewKey(tx);
    await deleteOlderSigningKeys(tx, publishedKeys);
    return { kid };
  });
}

async function readPairs(db: Database): Promise<readonly SigningKeyPair[]> {
  const rows = await listSigningKeys(db, publishedKeys);
  return Promise.all((rows.length === publishedKeys ? rows : await createFirstKeys(db)).map(toPair));
}

async function createFirstKeys(db: Database): Promise<SigningKeyRow[]> {
  return db.transaction(async (tx) => {
    await tx.lock(signingKeysLock, 'exclusive');
    const existing = await listSigningKeys(tx, publishedKeys);
    for (let missing = publishedKeys - existing.length; missing > 0; missing--) await insertNewKey(tx);
    return listSigningKeys(tx, publishedKeys);
  });
}

async function insertNewKey(db: Queryable): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const public_jwk = (await exportJWK(publicKey)) as Record<string, string>;
  const private_jwk = (await exportJWK(privateKey)) as Record<string, string>;
  const kid = await calculateJwkThumbprint(public_jwk);
  await insertSigningKey(db, { kid, public_jwk, private_jwk });
  return kid;
}

async function toPair({ kid, public_jwk, private_jwk }: SigningKeyRow): Promise<SigningKeyPair> {
  return {
    kid,
    publicJwk: { ...public_jwk, kid, alg: signingAlgorithm, use: 'sig' },
    publicKey: (await importJWK(public_jwk, signingAlgorithm)) as CryptoKey,
    privateKey: (await importJWK(private_jwk, signingAlgorithm)) as CryptoKey,
  };
}
