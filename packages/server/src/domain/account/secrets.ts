import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Letters and digits from the system's randomness; 24 of them hold 142 bits, 43 hold 256. */
export function randomText(length: number): string {
  let text = '';
  // Bytes past the last whole multiple of the alphabet are thrown away, so that no letter is likelier.
  const fair = 256 - (256 % alphabet.length);
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < fair && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}

/**
 * A secret is 256 random bits of ours, not a password of a person's: there is no dictionary to try, so one round
 * of SHA-256 with a salt keeps it as well as a slow hash would, and a flood of token requests cannot use the
 * slowness against us.
 */
export function hashSecret(secret: string, salt: Buffer): Buffer {
  return createHash('sha256').update(salt).update(secret).digest();
}

/** Takes the same time whether the first byte differs or the last. */
export function isSecret(secret: string, salt: Buffer, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret, salt), hash);
}
