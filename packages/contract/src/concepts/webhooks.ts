import Type, { type Static } from 'typebox';
import { ids, lastPage, minute, morning } from '../bookshop.ts';
import {
  Closed,
  Id,
  NamedObject,
  Natural,
  Nullable,
  NullableTs,
  OneOf,
  Page,
  PageQuery,
  Ts,
} from '../fields.ts';
import { limits } from '../limits.ts';
import { defineOperations, type OperationFields } from '../operation.ts';

/** What a webhook can be told, and when. */
export const webhookEvents = {
  'job.ended': 'A job succeeded, failed or was canceled.',
  'guard.refused': 'The guard of a deployment refused a model.',
  'deployment.rolled_back': 'A rollback has deployed the models before.',
  'dataset.nearly_full': 'A dataset has reached 90% of the records that it can hold.',
  'experiment.decided': 'An experiment has a verdict.',
  'quota.near': 'The account has used 90% of a cap of its plan.',
  'schedule.missed': 'A schedule could not start a run.',
} as const;

export type WebhookEvent = keyof typeof webhookEvents;

const WebhookEventType = OneOf('WebhookEventType', webhookEvents);

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

const Failure = NamedObject('WebhookFailure', {
  ts: Ts('When the last attempt failed'),
  code: Type.String({
    description:
      'Why: `STATUS` (the response was not 2xx), `TIMEOUT`, `ADDRESS_REFUSED` (the host resolves to a private address), `NOT_RESOLVED` (DNS), `TLS` or `CONNECTION`.',
  }),
  message: Type.String({ description: 'The same in words, with the status if there was a response.' }),
});

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
  pending: Natural('The number of messages that are not delivered yet.'),
};

const Webhook = NamedObject('Webhook', { ...fields, secret: Type.Optional(Secret) });

const CreatedWebhook = NamedObject('CreatedWebhook', { ...fields, secret: Secret });

const WebhookRef = Closed({ webhook_id: Id('webhook') });

const UpdateWebhook = Closed({
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

const operations = {
  createWebhook: {
    summary: 'Have messages sent to a URL when something happens',
    description: [
      'Each message is a POST with a JSON body of `type`, `timestamp` and `data`, signed as [Standard Webhooks](https://www.standardwebhooks.com) has it: in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`. A response with a status of 2xx within 10 seconds confirms it.',
      'Messages are delivered at least once, in any order: `webhook-id` tells repetitions. A message that is not confirmed is sent again for a day, with growing pauses. A webhook that failed for a whole day is disabled, and so is one that answers 410. Redirects are not followed.',
      `An account has at most ${limits.webhooksPerAccount} webhooks.`,
    ].join('\n\n'),
    request: Closed({ url: Url, events: Events }),
    response: CreatedWebhook,
    errors: ['QUOTA_EXCEEDED'],
  },
  getWebhook: {
    summary: 'Get a webhook',
    description: 'With its last failure, and how many messages are pending.',
    request: WebhookRef,
    response: Webhook,
    errors: ['NOT_FOUND'],
  },
  listWebhooks: {
    summary: "List the account's webhooks",
    description: '',
    request: Closed(PageQuery),
    response: Page('webhooks', Webhook),
    errors: [],
  },
  updateWebhook: {
    summary: 'Change, enable or disable a webhook, or rotate its secret',
    description: 'Fields that you leave out stay as they are. Disabling it drops its pending messages.',
    request: UpdateWebhook,
    response: Webhook,
    errors: ['NOT_FOUND'],
  },
  deleteWebhook: {
    summary: 'Delete a webhook and its pending messages',
    description: 'Returns the deleted webhook.',
    request: WebhookRef,
    response: Webhook,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, OperationFields>;

const ref = { webhook_id: ids.webhook };
const settings = {
  url: 'https://shop.example.com/hooks/tastegraph',
  events: ['job.ended' as const, 'guard.refused' as const],
};
const webhook: Static<typeof Webhook> = {
  ...ref,
  ...settings,
  enabled: true,
  disabled_reason: null,
  created_ts: morning,
  last_delivered_ts: morning + minute,
  last_failure: null,
  pending: 0,
};

export const webhookOperations = defineOperations('Webhooks', operations, {
  createWebhook: {
    request: settings,
    response: { ...webhook, last_delivered_ts: null, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
  },
  getWebhook: { request: ref, response: webhook },
  listWebhooks: { request: {}, response: { webhooks: [webhook], ...lastPage } },
  updateWebhook: { request: { ...ref, enabled: false }, response: { ...webhook, enabled: false } },
  deleteWebhook: { request: ref, response: webhook },
});
