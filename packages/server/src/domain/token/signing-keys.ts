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
import type { Database, Queryable } from '../../storage/postgres/pool.ts';
import {
  deleteOlderSigningKeys,
  insertSigningKey,
  listSigningKeys,
  type SigningKeyRow,
} from '../../storage/postgres/signing-keys.ts';
import { Fault } from '../fault.ts';

export const signingAlgorithm = 'EdDSA';

/** The newest signs; the one before it still verifies what it signed. Both are published. */
const published = 2;
/** Any constant: two processes that find no keys do not both make them. */
const signingKeysLock = 5_011_771_303n;
/** How long a process believes what it read: then a new key signs, and one that was dropped is no longer taken. */
const believedMs = 2000;
/** A kid that nobody knows makes us look for new keys, at most this often. */
const refreshMs = 100;

interface SigningKeyPair {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

/** The keys that tokens are signed with, as a process holds them: read when first needed, and again for an unknown kid. */
export class SigningKeys {
  readonly #db: Database;
  #pairs: Promise<readonly SigningKeyPair[]> | undefined;
  #readAt = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  async current(): Promise<SigningKeyPair> {
    const [newest] = await this.#read();
    if (!newest) throw new Error('there is no signing key');
    return newest;
  }

  async publicJwks(): Promise<JWK[]> {
    return (await this.#read()).map((pair) => pair.publicJwk);
  }

  /** The published key of that kid. One that we do not know may be a moment old: it is looked for anew. */
  async find(kid: string | undefined): Promise<CryptoKey | undefined> {
    const askedAt = Date.now();
    const pick = async () => (await this.#read()).find((pair) => pair.kid === kid)?.publicKey;
    const found = await pick();
    if (found) return found;
    await sleep(Math.max(0, this.#readAt + refreshMs - Date.now()));
    if (this.#readAt <= askedAt) this.#pairs = undefined;
    return pick();
  }

  async #read(): Promise<readonly SigningKeyPair[]> {
    if (Date.now() - this.#readAt > believedMs) this.#pairs = undefined;
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

/**
 * Makes a new key that signs from now on. Refused while tokens of the key that would drop out may still be
 * valid, unless forced: a key that has leaked must go at once.
 */
export async function rotateSigningKeys(db: Database, force: boolean): Promise<{ kid: string }> {
  return db.transaction(async (tx) => {
    await tx.lock(signingKeysLock, 'exclusive');
    const [newest] = await listSigningKeys(tx, 1);
    const ageSeconds = newest ? (Date.now() - newest.created_ts) / 1000 : Number.POSITIVE_INFINITY;
    if (!force && ageSeconds < limits.tokenTtlSeconds) {
      throw new Fault(
        'INVALID_REQUEST',
        `The last rotation was ${Math.round(ageSeconds)} s ago, and tokens of the key before it live ${limits.tokenTtlSeconds} s. Wait, or force it to make them invalid now.`,
      );
    }
    // Forced, both published keys are new: nothing that was signed before verifies any more.
    if (force) await insertNewKey(tx);
    const kid = await insertNewKey(tx);
    await deleteOlderSigningKeys(tx, published);
    return { kid };
  });
}

async function readPairs(db: Database): Promise<readonly SigningKeyPair[]> {
  const rows = await listSigningKeys(db, published);
  return Promise.all((rows.length === published ? rows : await makeFirst(db)).map(toPair));
}

async function makeFirst(db: Database): Promise<SigningKeyRow[]> {
  return db.transaction(async (tx) => {
    await tx.lock(signingKeysLock, 'exclusive');
    const there = await listSigningKeys(tx, published);
    for (let missing = published - there.length; missing > 0; missing--) await insertNewKey(tx);
    return listSigningKeys(tx, published);
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
