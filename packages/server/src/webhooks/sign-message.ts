import { createHmac } from 'node:crypto';

/**
 * The headers of a message, as Standard Webhooks has them (https://github.com/standard-webhooks/standard-webhooks): one signature per
 * secret, so that a receiver may have either.
 */
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
