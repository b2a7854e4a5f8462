import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { limits } from '@tastegraph/contract';
import { ApiError } from '../../http/api-error.ts';
import { hashBytes } from '../../kernel/lib/hashes.ts';
import type { Queryable } from '../../kernel/postgres/pool.ts';
import { findOrInsertSecret } from '../../kernel/postgres/secrets.ts';
import { isReadOnly } from '../../kernel/postgres/sessions.ts';

/** How long a process that cannot create the secret waits before it looks for it again. */
const retryMs = 1000;
/** Long enough that a signature cannot be guessed. */
const signatureBytes = 16;

/**
 * A cursor is the hashes of the items returned so far, signed together with the list that it continues. So a process needs
 * no memory of earlier pages, and no item comes twice, whatever happened to the user, the items or the model in between.
 */
export class Cursors {
  readonly #secret: KeyObject;

  constructor(secret: Buffer) {
    // Signing with the bytes themselves takes five times as long.
    this.#secret = createSecretKey(secret);
  }

  /** Undefined once the pages have as many items as a list may have. The same list and items give the same cursor. */
  seal(list: string, shown: Iterable<number>): string | undefined {
    const hashes = [...shown];
    if (hashes.length >= limits.pagedItems) return undefined;
    const bytes = Buffer.alloc(signatureBytes + hashes.length * hashBytes);
    for (const [place, hash] of hashes.entries())
      bytes.writeUIntBE(hash, signatureBytes + place * hashBytes, hashBytes);
    this.#sign(list, bytes.subarray(signatureBytes)).copy(bytes, 0, 0, signatureBytes);
    return bytes.toString('base64url');
  }

  /** The items returned so far. Throws unless `seal` made the cursor for this list. */
  open(list: string, cursor: string): Set<number> {
    const bytes = Buffer.from(cursor, 'base64url');
    const [signature, content] = [bytes.subarray(0, signatureBytes), bytes.subarray(signatureBytes)];
    const isSigned =
      signature.length === signatureBytes &&
      content.length % hashBytes === 0 &&
      timingSafeEqual(signature, this.#sign(list, content).subarray(0, signatureBytes));
    if (!isSigned) throw invalidCursor();
    const count = content.length / hashBytes;
    return new Set(
      Array.from({ length: count }, (_, place) => content.readUIntBE(place * hashBytes, hashBytes)),
    );
  }

  #sign(list: string, content: Uint8Array): Buffer {
    // The list comes first and is JSON, so that its end is unambiguous.
    return createHmac('sha256', this.#secret).update(list).update('\n').update(content).digest();
  }
}

/**
 * The cursors of a process. All processes share one secret, so each accepts the cursors of the others. The first process that finds
 * none creates it; one that reads from a standby cannot, and serves first pages until another has.
 */
export class SharedCursors {
  readonly #db: Queryable;
  #cursors: Cursors | undefined;
  #reading: Promise<void> | undefined;
  #readAgainAt = 0;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Undefined while there is no secret and it cannot be created. */
  async get(): Promise<Cursors | undefined> {
    if (this.#cursors || performance.now() < this.#readAgainAt) return this.#cursors;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
    return this.#cursors;
  }

  async #read(): Promise<void> {
    try {
      this.#cursors = new Cursors(await findOrInsertSecret(this.#db, 'cursors', randomBytes(32)));
    } catch (error) {
      if (!isReadOnly(error)) throw error;
      this.#readAgainAt = performance.now() + retryMs;
    }
  }
}

function invalidCursor(): ApiError {
  const message = 'must be the cursor of an earlier response to the same request';
  return new ApiError(
    'INVALID_REQUEST',
    `cursor ${message}. Only limit, attributes and explain may differ. Leave cursor out to get the first page.`,
    { errors: [{ path: 'cursor', message }] },
  );
}
