import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { writeKeyPattern } from '@tastegraph/contract';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random letters and digits: 24 of them have 142 bits, 43 have 256. */
export function randomText(length: number): string {
  let text = '';
  // Bytes past the last whole multiple of the alphabet's length are rejected: they would make some letters more likely.
  const acceptedBytes = 256 - (256 % alphabet.length);
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < acceptedBytes && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}

/** A secret has 256 random bits: no dictionary attack is possible, and with a slow hash, a flood of requests would take all CPUs. */
export function hashSecret(secret: string, salt: Buffer): Buffer {
  return createHash('sha256').update(salt).update(secret).digest();
}

/** Compares in constant time. */
export function isSecret(secret: string, salt: Buffer, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret, salt), hash);
}

/** Of the secret in a write key. Never equal to the hash of a client secret, so that a write key cannot get a token. */
export function hashWriteSecret(secret: string, salt: Buffer): Buffer {
  return createHmac('sha256', salt).update(secret).digest();
}

/** Compares in constant time. */
export function isWriteSecret(secret: string, salt: Buffer, hash: Buffer): boolean {
  return timingSafeEqual(hashWriteSecret(secret, salt), hash);
}

const form = new RegExp(writeKeyPattern);

/** A write key that is well-formed, and may be wrong. */
export interface SentWriteKey {
  readonly apiKey: string;
  readonly secret: string;
}

/** Undefined if the text has not the form of a write key. A token never has it. */
export function parseWriteKey(text: string): SentWriteKey | undefined {
  const [, apiKey, secret] = form.exec(text) ?? [];
  return apiKey === undefined || secret === undefined ? undefined : { apiKey, secret };
}
