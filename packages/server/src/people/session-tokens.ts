import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { findOrInsertSecret, findSecret } from '../kernel/postgres/secrets.ts';

const randomLength = 24;
const macLength = 16;
const secretName = 'console_sessions';

/** A token ends with a MAC of its random bytes: a flood of forged ones is refused without a read of the database. */
export class SessionTokens {
  #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  /** For a process that started before there was a secret. */
  replaceSecret(secret: Buffer): void {
    this.#secret = secret;
  }

  create(): string {
    const random = randomBytes(randomLength);
    return Buffer.concat([random, this.#mac('session', random)]).toString('base64url');
  }

  isGenuine(token: string): boolean {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== randomLength + macLength || bytes.toString('base64url') !== token) return false;
    return timingSafeEqual(
      this.#mac('session', bytes.subarray(0, randomLength)),
      bytes.subarray(randomLength),
    );
  }

  /** Follows from the session's token, which scripts cannot read, so that it need not be stored. */
  csrfTokenOf(token: string): string {
    return this.#mac('csrf', Buffer.from(token)).toString('base64url');
  }

  isCsrfToken(token: string, csrfToken: string | undefined): boolean {
    const expected = Buffer.from(this.csrfTokenOf(token));
    const given = Buffer.from(csrfToken ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  /** A text that the browser keeps for us. */
  sign(purpose: string, text: string): string {
    const bytes = Buffer.from(text);
    return `${bytes.toString('base64url')}.${this.#mac(purpose, bytes).toString('base64url')}`;
  }

  /** The text that was signed for this purpose, or undefined if it was changed. */
  verify(purpose: string, signed: string): string | undefined {
    const [text = '', mac = ''] = signed.split('.');
    const bytes = Buffer.from(text, 'base64url');
    const given = Buffer.from(mac, 'base64url');
    const expected = this.#mac(purpose, bytes);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return bytes.toString('utf8');
  }

  #mac(purpose: string, bytes: Buffer): Buffer {
    return createHmac('sha256', this.#secret)
      .update(`${purpose} `)
      .update(bytes)
      .digest()
      .subarray(0, macLength);
  }
}

/** All processes share one secret, so each accepts the sessions of the others. */
export async function openSessionTokens(db: Queryable): Promise<SessionTokens> {
  return new SessionTokens(await findOrInsertSecret(db, secretName, randomBytes(32)));
}

/** Accepts no session until `learnSecret` has found the secret. */
export const createUnknowingTokens = () => new SessionTokens(randomBytes(32));

/** Whether the secret is known now. */
export async function learnSecret(db: Queryable, tokens: SessionTokens): Promise<boolean> {
  const secret = await findSecret(db, secretName);
  if (secret) tokens.replaceSecret(secret);
  return secret !== undefined;
}

/** What is stored of a token. It has 192 random bits, so one round of SHA-256 is enough. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
