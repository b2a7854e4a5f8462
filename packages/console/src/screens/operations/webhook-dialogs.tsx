import { useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog, DoneButton } from '../../components/dialog.tsx';
import { CheckField, Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { formatNumberOf } from '../../format.ts';
import {
  useCreateWebhook,
  useDeleteWebhook,
  useUpdateWebhook,
  type Webhook,
  type WebhookEvent,
  webhookEvents,
} from '../../use/webhooks.ts';

const eventNames = Object.keys(webhookEvents) as WebhookEvent[];

/** Shows the secret once it is created, and nowhere else. */
export function NewWebhookDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateWebhook();
  if (create.data) return <SecretDialog secret={create.data.secret} onClose={onClose} />;
  return (
    <SettingsDialog
      title="New webhook"
      action="Create"
      first={{ url: '', events: ['job.ended', 'guard.refused'] }}
      change={create}
      onSubmit={(settings) => create.mutate(settings)}
      onClose={onClose}
    />
  );
}

export function EditWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const update = useUpdateWebhook();
  const { webhook_id } = webhook;
  return (
    <SettingsDialog
      title="Edit the webhook"
      action="Save"
      first={webhook}
      change={update}
      onSubmit={(settings) => update.mutate({ webhook_id, ...settings }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

interface SettingsProps {
  readonly title: string;
  readonly action: string;
  readonly first: Pick<Webhook, 'url' | 'events'>;
  readonly change: { readonly isPending: boolean; readonly error: unknown };
  readonly onSubmit: (settings: { url: string; events: WebhookEvent[] }) => void;
  readonly onClose: () => void;
}

function SettingsDialog({ title, action, first, change, onSubmit, onClose }: SettingsProps) {
  const [url, setUrl] = useState(first.url);
  const [events, setEvents] = useState<readonly WebhookEvent[]>(first.events);
  return (
    <Dialog
      onClose={onClose}
      title={title}
      description="Messages that your system does not confirm are sent again, for a day."
    >
      <Form
        action={action}
        change={change}
        isDisabled={events.length === 0}
        onSubmit={() => onSubmit({ url, events: [...events] })}
        onCancel={onClose}
      >
        <Field
          label="URL"
          type="url"
          required
          placeholder="https://shop.example.com/hooks/tastegraph"
          value={url}
          onChange={setUrl}
        />
        <fieldset>
          <legend className="mb-1 font-medium">Send a message when</legend>
          {eventNames.map((name) => (
            <CheckField
              key={name}
              label={webhookEvents[name]}
              checked={events.includes(name)}
              onChange={(checked) =>
                setEvents(checked ? [...events, name] : events.filter((one) => one !== name))
              }
            />
          ))}
        </fieldset>
      </Form>
    </Dialog>
  );
}

/** For 24 hours, messages are signed with both secrets. */
export function NewSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const update = useUpdateWebhook();
  const secret = update.data?.secret;
  if (secret !== undefined) return <SecretDialog secret={secret} onClose={onClose} />;
  return (
    <ConfirmDialog
      title="Create a new secret?"
      action="Create a new secret"
      change={update}
      onConfirm={() => update.mutate({ webhook_id: webhook.webhook_id, rotate_secret: true })}
      onClose={onClose}
    >
      For 24 hours, messages to {webhook.url} are signed with the new secret and with the present one, so that
      you can change it without losing any.
    </ConfirmDialog>
  );
}

function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog
      onClose={onClose}
      title="The secret of the webhook"
      description="Copy it now: it cannot be shown again. Your system verifies the signature of messages with it."
    >
      <div className="space-y-4">
        <ShownOnce label="Secret" text={secret} />
        <DoneButton onClose={onClose} />
      </div>
    </Dialog>
  );
}

export function DeleteWebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const remove = useDeleteWebhook();
  return (
    <ConfirmDialog
      title="Delete the webhook?"
      action="Delete"
      change={remove}
      onConfirm={() => remove.mutate(webhook.webhook_id, { onSuccess: onClose })}
      onClose={onClose}
    >
      {webhook.url} gets no further messages.
      {webhook.pending > 0 && ` ${formatNumberOf(webhook.pending, 'message')} that wait are dropped.`}
    </ConfirmDialog>
  );
}
