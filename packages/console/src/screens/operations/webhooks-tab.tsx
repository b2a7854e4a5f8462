import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmptyState, ErrorState, QueryView } from '../../components/states.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { formatAgo, formatNumberOf, formatTime } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { useUpdateWebhook, useWebhooks, type Webhook, webhookEvents } from '../../use/webhooks.ts';
import {
  DeleteWebhookDialog,
  EditWebhookDialog,
  NewSecretDialog,
  NewWebhookDialog,
} from './webhook-dialogs.tsx';

/** Where the account's messages go, and whether they arrive. */
export function WebhooksTab() {
  const webhooks = useWebhooks();
  const canCreate = useMay('createWebhook');
  const update = useUpdateWebhook();
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<Webhook>();
  const [rotated, setRotated] = useState<Webhook>();
  const [deleted, setDeleted] = useState<Webhook>();
  const newWebhook = canCreate && (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden /> New webhook
    </Button>
  );
  return (
    <Card
      title="Webhooks"
      hint="signed messages of the account to your systems"
      actions={webhooks.data?.length !== 0 && newWebhook}
    >
      {update.error && <ErrorState error={update.error} />}
      <QueryView query={webhooks}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={<WebhookIcon aria-hidden />} title="No webhooks yet" action={newWebhook}>
              Let Tastegraph call your system when a job ends, a guard refuses a model or a dataset is nearly
              full.
            </EmptyState>
          ) : (
            <div className="relative overflow-x-auto">
              <table className="w-full min-w-176">
                <TableHead
                  columns={[
                    { title: 'URL', hint: 'and its messages' },
                    { title: 'State' },
                    { title: 'Delivered' },
                    { title: 'Pending', isNumber: true },
                    { title: 'Actions', isHidden: true },
                  ]}
                />
                <tbody className="divide-y divide-line">
                  {list.map((webhook) => (
                    <Row
                      key={webhook.webhook_id}
                      webhook={webhook}
                      isChanging={update.isPending}
                      onEnable={(enabled) => update.mutate({ webhook_id: webhook.webhook_id, enabled })}
                      onEdit={() => setEdited(webhook)}
                      onRotate={() => setRotated(webhook)}
                      onDelete={() => setDeleted(webhook)}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </QueryView>
      {isCreating && <NewWebhookDialog onClose={() => setCreating(false)} />}
      {edited && <EditWebhookDialog webhook={edited} onClose={() => setEdited(undefined)} />}
      {rotated && <NewSecretDialog webhook={rotated} onClose={() => setRotated(undefined)} />}
      {deleted && <DeleteWebhookDialog webhook={deleted} onClose={() => setDeleted(undefined)} />}
    </Card>
  );
}

interface RowProps {
  readonly webhook: Webhook;
  readonly isChanging: boolean;
  readonly onEnable: (enabled: boolean) => void;
  readonly onEdit: () => void;
  readonly onRotate: () => void;
  readonly onDelete: () => void;
}

function Row({ webhook, isChanging, onEnable, onEdit, onRotate, onDelete }: RowProps) {
  const { url, events, enabled, last_delivered_ts, pending } = webhook;
  const canChange = useMay('updateWebhook');
  const canDelete = useMay('deleteWebhook');
  return (
    <tr>
      <td className="max-w-80 px-4 py-2">
        <span className="block truncate font-medium" title={url}>
          {url}
        </span>
        <span className="text-sm text-muted">{events.map((event) => webhookEvents[event]).join(' · ')}</span>
      </td>
      <td className="max-w-72 px-2 py-2">
        <State webhook={webhook} />
      </td>
      <td className="px-2 py-2 whitespace-nowrap">
        {last_delivered_ts === null ? (
          <span className="text-muted">nothing yet</span>
        ) : (
          <span title={formatTime(last_delivered_ts)}>{formatAgo(last_delivered_ts)}</span>
        )}
      </td>
      <td className="px-2 py-2 text-right tabular-nums">{pending}</td>
      <td className="px-4 py-2">
        <div className="flex justify-end gap-2">
          {canChange && (
            <>
              <Button
                disabled={isChanging}
                onClick={() => onEnable(!enabled)}
                aria-label={`${enabled ? 'Disable' : 'Enable'} ${url}`}
              >
                {enabled ? 'Disable' : 'Enable'}
              </Button>
              <Button onClick={onEdit} aria-label={`Edit ${url}`}>
                Edit
              </Button>
              <Button onClick={onRotate} aria-label={`New secret for ${url}`}>
                New secret
              </Button>
            </>
          )}
          {canDelete && (
            <Button look="danger" onClick={onDelete} aria-label={`Delete ${url}`}>
              Delete
            </Button>
          )}
        </div>
      </td>
    </tr>
  );
}

function State({ webhook: { enabled, disabled_reason, last_failure, pending } }: { webhook: Webhook }) {
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
