import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { findOrInsertSecret } from '../kernel/postgres/secrets.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts keys, which may count the rows of all accounts: callers must not learn that. Valid for one list of one account. */
export class PageTokens {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  seal(list: string, key: Buffer): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#secret, nonce).setAAD(Buffer.from(list));
    const sealed = Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
    return sealed.toString('base64url');
  }

  /** Returns undefined unless `seal` made the token for this list. */
  open(list: string, token: string): Buffer | undefined {
    const sealed = Buffer.from(token, 'base64url');
    if (sealed.length < nonceBytes + tagBytes || sealed.toString('base64url') !== token) return undefined;
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, this.#secret, nonce).setAAD(Buffer.from(list));
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    try {
      const part = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
      return Buffer.concat([part, decipher.final()]);
    } catch {
      return undefined;
    }
  }
}

/** All processes share one secret, so each accepts the tokens of the others. */
export async function openPageTokens(db: Queryable): Promise<PageTokens> {
  return new PageTokens(await findOrInsertSecret(db, 'page_tokens', randomBytes(32)));
}
