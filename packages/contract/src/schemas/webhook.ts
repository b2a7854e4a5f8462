import Type from 'typebox';
import { limits } from '../limits.ts';
import { Closed, Id, Named, Nullable, NullableTs, Ts } from './fields.ts';

/** What a webhook can be told, and when. */
export const webhookEvents = {
  'job.ended': 'A job succeeded, failed or was canceled.',
  'guard.refused': 'The guard of a deployment refused a model.',
  'dataset.nearly_full': 'A dataset has reached 90% of the records that it can hold.',
  'experiment.decided': 'An experiment has a verdict.',
  'quota.near': 'The account has used 90% of a cap of its plan.',
  'schedule.missed': 'A schedule could not start a run.',
} as const;

export type WebhookEvent = keyof typeof webhookEvents;

const WebhookEventType = Named(
  'WebhookEventType',
  Type.Enum(Object.keys(webhookEvents) as WebhookEvent[], {
    description: Object.entries(webhookEvents)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join(' '),
  }),
);

const Url = Type.String({
  pattern: '^https?://[^\\s@#]{1,1990}$',
  description:
    'Where to send the messages, with `http://` or `https://`, without credentials and fragment. Unless the operator allows it, addresses of private networks are refused.',
});

const Events = Type.Array(WebhookEventType, {
  minItems: 1,
  maxItems: Object.keys(webhookEvents).length,
  uniqueItems: true,
  description: 'What to send messages about.',
});

const Secret = Type.String({
  description:
    'The secret with which messages are signed, to verify them with a library for Standard Webhooks. Only the responses that create it have it: store it.',
});

const Failure = Named(
  'WebhookFailure',
  Closed({
    ts: Ts('When the last attempt failed'),
    code: Type.String({
      description:
        'Why: `STATUS` (the response was not 2xx), `TIMEOUT`, `ADDRESS_REFUSED` (the host resolves to a private address), `NOT_RESOLVED` (DNS), `TLS` or `CONNECTION`.',
    }),
    message: Type.String({ description: 'The same in words, with the status if there was a response.' }),
  }),
);

const fields = {
  webhook_id: Id('webhook'),
  url: Url,
  events: Events,
  enabled: Type.Boolean({ description: 'Whether messages are sent.' }),
  disabled_reason: Nullable(Type.String(), {
    description:
      'Why the service has disabled the webhook: it failed for a whole day, answered 410, or its backlog was full. Null if it is enabled, or if you have disabled it.',
  }),
  created_ts: Ts('When the webhook was created'),
  last_delivered_ts: NullableTs('When a message was last delivered', 'Null if none was.'),
  last_failure: Nullable(Failure, { description: 'The last attempt that failed. Null after a success.' }),
  pending: Type.Integer({
    minimum: 0,
    description: 'The number of messages that are not delivered yet.',
  }),
};

export const Webhook = Named('Webhook', Closed({ ...fields, secret: Type.Optional(Secret) }));

export const CreatedWebhook = Named('CreatedWebhook', Closed({ ...fields, secret: Secret }));

export const WebhookRef = Closed({ webhook_id: Id('webhook') });

export const CreateWebhook = Closed({ url: Url, events: Events });

export const UpdateWebhook = Closed({
  webhook_id: Id('webhook'),
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  enabled: Type.Optional(
    Type.Boolean({ description: 'False stops sending; true starts again, with new messages only.' }),
  ),
  rotate_secret: Type.Optional(
    Type.Boolean({
      description: `True creates a new secret, which the response contains. For ${limits.secretOverlapHours} hours, messages are signed with both.`,
    }),
  ),
});
