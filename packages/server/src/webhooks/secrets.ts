import { createHmac, randomBytes } from 'node:crypto';

/** As Standard Webhooks recommends: 24 to 64 bytes. */
const secretBytes = 32;

export function newWebhookSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** As the libraries for Standard Webhooks read it. */
export const showSecret = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

/** Those of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks): one signature per secret. */
export function signMessage(
  { id, body }: { id: string; body: string },
  secrets: readonly Buffer[],
  seconds: number,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const signature = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64');
    return `v1,${signature}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
