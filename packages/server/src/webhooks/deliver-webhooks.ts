import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../services.ts';
import type { WebhookSettings } from './api.ts';
import { webhookMessages } from './metrics.ts';
import {
  claimMessages,
  confirmMessage,
  type DueMessage,
  failMessage,
  releaseMessage,
} from './rows/messages.ts';
import { signMessage } from './secrets.ts';
import { sendMessage } from './send-message.ts';

type DeliveryContext = Pick<Services, 'db' | 'log' | 'metrics' | 'stopping'> & {
  readonly config: { readonly webhooks: WebhookSettings };
};

/** Messages in flight per account and process: a slow receiver delays only its own account. */
const perAccount = 4;
/** Sockets are cheap; this many accounts with receivers that hang do not use them up. */
const total = 400;
/** What Standard Webhooks recommends to allow a receiver is 15 to 30 s; less, since receivers should only store the message. */
const timeoutMs = 10_000;
/** Longer than an attempt and its statements. After that, another worker sends the message again. */
const leaseSeconds = 60;
/** How soon a message is noticed. */
const pauseMs = 500;
const maxHours = 24;

/** Sends the messages of webhooks until `stopping`. Safe to run in any number of processes. */
export async function deliverWebhooks(context: DeliveryContext): Promise<void> {
  const { db, log, stopping } = context;
  const inFlight = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const change = (accountId: string, by: number) => {
    const count = (inFlight.get(accountId) ?? 0) + by;
    if (count > 0) inFlight.set(accountId, count);
    else inFlight.delete(accountId);
  };
  const isStopped = () => stopping.aborted;
  while (!isStopped()) {
    try {
      const room = new Map(
        [...inFlight].map(([account, count]) => [account, Math.max(0, perAccount - count)]),
      );
      const free = total - running.size;
      const claimed =
        free > 0 ? await claimMessages(db, room, { perAccount, total: free, leaseSeconds }) : [];
      for (const message of claimed) {
        change(message.account_id, 1);
        const delivery = deliver(context, message).finally(() => {
          change(message.account_id, -1);
          running.delete(delivery);
        });
        running.add(delivery);
      }
    } catch (error) {
      if (!isStopped()) log.warn({ err: error }, 'failed to read messages of webhooks; will retry');
    }
    const pause = sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    // A message that was confirmed makes room for the next one of its account.
    await Promise.race([pause, ...running]);
    if (running.size > 0 && !isStopped()) await sleep(20);
  }
  await Promise.all(running);
}

/** Never throws: a message whose outcome cannot be stored is sent again after its lease. One that `stopping` ended, at once. */
async function deliver(
  { db, log, metrics, config, stopping }: DeliveryContext,
  message: DueMessage,
): Promise<void> {
  const { message_key, message_id, webhook_key, webhook_id, account_id, url, body, attempts } = message;
  const secrets = [message.secret, ...(message.previous_secret ? [message.previous_secret] : [])];
  const headers = signMessage({ id: message_id, body }, secrets, Math.floor(Date.now() / 1000));
  const outcome = await sendMessage(
    url,
    { headers, body },
    { ...config.webhooks, timeoutMs, signal: stopping },
  );
  // Neither the URL, which may contain a token, nor the body, nor the secret.
  const about = { webhook_id, account_id, message_id, attempts };
  try {
    if (outcome === 'STOPPED') {
      await releaseMessage(db, message);
      log.debug(about, 'left a message to another worker, because this one stops');
      return;
    }
    if (outcome.isConfirmed) {
      await confirmMessage(db, message_key);
      metrics.add(webhookMessages, { outcome: 'delivered' });
      log.debug(about, 'delivered a message to a webhook');
      return;
    }
    const { code, isGone } = outcome;
    const failure = { ts: Date.now(), code, message: outcome.message };
    const retrySeconds = retryDelay(attempts);
    const failed = { message_key, webhook_key, failure, retrySeconds, maxHours, isGone };
    const { dropped, disabled } = await failMessage(db, failed);
    metrics.add(webhookMessages, { outcome: dropped > 0 ? 'dropped' : 'failed' });
    log.info({ ...about, code, dropped }, 'failed to deliver a message to a webhook');
    if (disabled) log.warn({ ...about, code, dropped }, 'disabled a webhook');
  } catch (error) {
    log.warn({ ...about, err: error }, 'failed to record the delivery of a message; it is sent again');
  }
}

/** The pause after the first failed attempt; each further one is three times as long, up to two hours. */
const firstSeconds = 5;
const factor = 3;
const maxSeconds = 2 * 3600;
/** So that receivers that come back are not met by all messages at once. */
const jitter = 0.2;

/** Seconds until the next attempt, after `attempts` that failed. */
export function retryDelay(attempts: number, random: () => number = Math.random): number {
  const seconds = Math.min(maxSeconds, firstSeconds * factor ** Math.max(0, attempts - 1));
  return seconds * (1 - jitter + 2 * jitter * random());
}
