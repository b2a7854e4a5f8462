import { randomBytes } from 'node:crypto';

/** As Standard Webhooks recommends: 24 to 64 bytes. */
const secretBytes = 32;

export function newWebhookSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** As the libraries for Standard Webhooks read it. */
export const showSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;
