import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { timeColumn } from '../../components/table.tsx';
import { formatAgo, formatNumberOf } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { useUpdateWebhook, useWebhooks, type Webhook, webhookEvents } from '../../use/webhooks.ts';
import { ResourceCard } from './resource-card.tsx';
import {
  DeleteWebhookDialog,
  EditWebhookDialog,
  NewSecretDialog,
  NewWebhookDialog,
} from './webhook-dialogs.tsx';

/** Where the account's messages go, and whether they arrive. */
export function WebhooksTab() {
  const webhooks = useWebhooks();
  const update = useUpdateWebhook();
  const { dialog, show } = useDialog();
  const canCreate = useMay('createWebhook');
  const canChange = useMay('updateWebhook');
  const canDelete = useMay('deleteWebhook');
  const actionsOf = (webhook: Webhook) => {
    const { webhook_id, url, enabled } = webhook;
    return (
      <div className="flex justify-end gap-2">
        {canChange && (
          <>
            <Button
              disabled={update.isPending}
              onClick={() => update.mutate({ webhook_id, enabled: !enabled })}
              aria-label={`${enabled ? 'Disable' : 'Enable'} ${url}`}
            >
              {enabled ? 'Disable' : 'Enable'}
            </Button>
            <Button
              onClick={() => show((close) => <EditWebhookDialog webhook={webhook} onClose={close} />)}
              aria-label={`Edit ${url}`}
            >
              Edit
            </Button>
            <Button
              onClick={() => show((close) => <NewSecretDialog webhook={webhook} onClose={close} />)}
              aria-label={`New secret for ${url}`}
            >
              New secret
            </Button>
          </>
        )}
        {canDelete && (
          <Button
            look="danger"
            onClick={() => show((close) => <DeleteWebhookDialog webhook={webhook} onClose={close} />)}
            aria-label={`Delete ${url}`}
          >
            Delete
          </Button>
        )}
      </div>
    );
  };
  return (
    <ResourceCard
      title="Webhooks"
      hint="signed messages of the account to your systems"
      query={webhooks}
      error={update.error}
      create={
        canCreate && (
          <Button look="primary" onClick={() => show((close) => <NewWebhookDialog onClose={close} />)}>
            <Plus aria-hidden /> New webhook
          </Button>
        )
      }
      empty={{
        icon: WebhookIcon,
        title: 'No webhooks yet',
        text: 'Let Tastegraph call your system when a job ends, a guard refuses a model or a dataset is nearly full.',
      }}
      keyOf={({ webhook_id }) => webhook_id}
      className="min-w-176"
      columns={[
        {
          title: 'URL',
          hint: 'and its messages',
          className: 'max-w-80',
          cell: ({ url, events }) => (
            <>
              <span className="block truncate font-medium" title={url}>
                {url}
              </span>
              <span className="text-sm text-muted">
                {events.map((event) => webhookEvents[event]).join(' · ')}
              </span>
            </>
          ),
        },
        { title: 'State', className: 'max-w-72', cell: describeState },
        timeColumn('Delivered', 'last_delivered_ts', 'nothing yet'),
        { title: 'Pending', isNumber: true, cell: ({ pending }) => pending },
        { title: 'Actions', isHidden: true, cell: actionsOf },
      ]}
    >
      {dialog}
    </ResourceCard>
  );
}

function describeState({ enabled, disabled_reason, last_failure, pending }: Webhook) {
  if (!enabled)
    return (
      <>
        <Badge tone={disabled_reason === null ? 'neutral' : 'bad'}>disabled</Badge>
        {disabled_reason !== null && <p className="mt-1 text-sm text-bad">{disabled_reason}</p>}
      </>
    );
  if (!last_failure) return <Badge tone="good">enabled</Badge>;
  return (
    <>
      <Badge tone="warn">failing</Badge>
      <p className="mt-1 text-sm text-warn">
        {formatAgo(last_failure.ts)}: {last_failure.message} {formatNumberOf(pending, 'message')} will be sent
        again.
      </p>
    </>
  );
}
