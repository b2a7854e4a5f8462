import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { limits } from '@tastegraph/contract';
import { ApiError } from '../domain/api-error.ts';
import type { Queryable } from '../storage/postgres/pool.ts';
import { findOrInsertSecret } from '../storage/postgres/secrets.ts';
import { hashBytes } from './item-hash.ts';

/** Long enough that a signature cannot be guessed. */
const signatureBytes = 16;

/**
 * A cursor is the hashes of the items returned so far, signed together with the list that it continues. So a process needs
 * no memory of earlier pages, and no item comes twice, whatever happened to the user, the items or the model in between.
 */
export class Cursors {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
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

/** All processes share one secret, so each accepts the cursors of the others. */
export async function openCursors(db: Queryable): Promise<Cursors> {
  return new Cursors(await findOrInsertSecret(db, 'cursors', randomBytes(32)));
}

function invalidCursor(): ApiError {
  const message = 'must be the cursor of an earlier response to the same request';
  return new ApiError(
    'INVALID_REQUEST',
    `cursor ${message}. Only limit, attributes and explain may differ. Leave cursor out to get the first page.`,
    { errors: [{ path: 'cursor', message }] },
  );
}
