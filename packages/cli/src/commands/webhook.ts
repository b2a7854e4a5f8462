import type { Request, Response } from '@tastegraph/sdk';
import { collect } from '../find.ts';
import { formatTimestamp } from '../terminal/format.ts';
import { fieldsTable } from '../terminal/table.ts';
import { type AddCommand, parseList, passed, yesOption } from './command.ts';

type Webhook = Response<'getWebhook'>;
type Events = Request<'createWebhook'>['events'];

interface ChangeOptions {
  readonly url?: string;
  readonly events?: Events;
  readonly rotateSecret?: boolean;
}

const eventsHelp =
  'what to send messages about, separated by commas: job.ended, guard.refused, deployment.rolled_back, dataset.nearly_full, experiment.decided, quota.near, schedule.missed';

export const addWebhook: AddCommand = (program) => {
  const webhook = program
    .command('webhook')
    .summary('have messages sent to a URL when something happens')
    .description('Manage webhooks: URLs that the service sends signed messages to.');
  webhook
    .command('list', { isDefault: true })
    .description("List the account's webhooks, newest first.")
    .withClient(async ({ client, output }) => {
      const found = await collect(client.listAll('listWebhooks', {}));
      output.list('webhooks', found, {
        none: 'No webhooks yet. To create one, see `tastegraph webhook create --help`.',
        heads: ['id', 'url', 'state', 'pending', 'last delivered'],
        row: (one) => [
          one.webhook_id,
          one.url,
          stateOf(one),
          one.pending,
          one.last_delivered_ts === null ? 'never' : formatTimestamp(one.last_delivered_ts),
        ],
      });
    });
  webhook
    .command('show')
    .description('Show a webhook, with its last failure.')
    .argument('<webhook>', 'ID of the webhook')
    .withClient(async ({ client, output }, webhook_id) => {
      const found = await client.getWebhook({ webhook_id });
      output.result(found, () => fieldsTable(found));
    });
  webhook
    .command('create')
    .description('Create a webhook. Prints the secret that verifies its messages, once.')
    .argument('<url>', 'where to send the messages')
    .option('--events <events>', eventsHelp, parseList, ['job.ended'])
    .withClient<{ events: Events }>(async ({ client, output, options: { events } }, url) => {
      const created = await client.createWebhook({ url, events });
      output.result(
        created,
        () => `Created ${created.webhook_id}. Its secret, shown only now: ${created.secret}`,
      );
    });
  webhook
    .command('update')
    .description('Change the URL or the events of a webhook, or create a new secret.')
    .argument('<webhook>', 'ID of the webhook')
    .option('--url <url>', 'where to send the messages')
    .option('--events <events>', eventsHelp, parseList)
    .option('--rotate-secret', 'create a new secret; the previous one still signs for 24 hours')
    .withClient<ChangeOptions>(async ({ client, output, options }, webhook_id) => {
      const { url, events, rotateSecret: rotate_secret } = options;
      const updated = await client.updateWebhook({
        webhook_id,
        ...passed({ url, events, rotate_secret }),
      });
      output.result(updated, () =>
        updated.secret === undefined
          ? `Updated ${updated.webhook_id}.`
          : `Updated ${updated.webhook_id}. Its new secret, shown only now: ${updated.secret}`,
      );
    });
  for (const [name, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    webhook
      .command(name)
      .description(
        enabled ? 'Send messages again, from now on.' : 'Send no more messages, and drop pending ones.',
      )
      .argument('<webhook>', 'ID of the webhook')
      .withClient(async ({ client, output }, webhook_id) => {
        const updated = await client.updateWebhook({ webhook_id, enabled });
        output.result(updated, () => `${updated.webhook_id} is ${name}d.`);
      });
  webhook
    .command('delete')
    .description('Delete a webhook and its pending messages.')
    .argument('<webhook>', 'ID of the webhook')
    .option(...yesOption)
    .withClient(async ({ client, output, confirm }, webhook_id) => {
      await confirm(`Delete webhook ${webhook_id}?`);
      await client.deleteWebhook({ webhook_id });
      output.result({ deleted: webhook_id }, () => `Deleted webhook ${webhook_id}.`);
    });
};

const stateOf = ({ enabled, disabled_reason, last_failure }: Webhook) =>
  enabled ? (last_failure ? 'failing' : 'enabled') : `disabled${disabled_reason === null ? '' : ' (failed)'}`;
