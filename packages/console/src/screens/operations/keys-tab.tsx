import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { CheckField } from '../../components/field.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { timeColumn } from '../../components/table.tsx';
import { formatAgo, formatNumberOf, formatTime } from '../../format.ts';
import { type ApiKey, nameOfKey, useKeys, useRevokeKey } from '../../use/keys.ts';
import { EditKeyDialog, NewKeyDialog } from './key-dialogs.tsx';
import { ResourceCard } from './resource-card.tsx';

/** What programs call the API with. */
export function KeysTab() {
  const keys = useKeys();
  const { dialog, show } = useDialog();
  const [showsRevoked, setShowsRevoked] = useState(false);
  const shown = keys.data?.filter(({ revoked_ts }) => showsRevoked || revoked_ts === null);
  const newKey = (
    <Button look="primary" onClick={() => show((close) => <NewKeyDialog onClose={close} />)}>
      <Plus aria-hidden /> New key
    </Button>
  );
  const actionsOf = (key: ApiKey) => {
    const { revoked_ts } = key;
    if (revoked_ts !== null)
      return (
        <p className="text-right" title={formatTime(revoked_ts)}>
          <Badge>revoked</Badge>
        </p>
      );
    return (
      <div className="flex justify-end gap-2">
        <Button
          onClick={() => show((close) => <EditKeyDialog apiKey={key} onClose={close} />)}
          aria-label={`Change ${nameOfKey(key)}`}
        >
          Change
        </Button>
        <Button
          look="danger"
          onClick={() => show((close) => <RevokeDialog apiKey={key} onClose={close} />)}
          aria-label={`Revoke ${nameOfKey(key)}`}
        >
          Revoke
        </Button>
      </div>
    );
  };
  return (
    <ResourceCard
      title="API keys"
      hint="what programs call the API with"
      query={{ ...keys, data: shown }}
      create={newKey}
      actions={
        <>
          <CheckField label="Show revoked" checked={showsRevoked} onChange={setShowsRevoked} />
          {newKey}
        </>
      }
      empty={{
        icon: KeyRound,
        title: 'No API keys yet',
        text: 'Create a key for each program that sends events or asks for recommendations, limited to what it needs.',
      }}
      keyOf={({ api_key }) => api_key}
      className="min-w-176"
      columns={[
        {
          title: 'Key',
          className: 'max-w-72',
          cell: (key) => (
            <>
              <span className="block truncate font-medium">{nameOfKey(key)}</span>
              <span className="block truncate font-mono text-xs text-muted">{key.api_key}</span>
            </>
          ),
        },
        { title: 'Allows', cell: describeOperations },
        timeColumn('Created', 'created_ts'),
        timeColumn('Last used', 'last_used_ts', 'never'),
        { title: 'Actions', isHidden: true, cell: actionsOf },
      ]}
    >
      <ShowMore query={keys} />
      {dialog}
    </ResourceCard>
  );
}

function describeOperations({ operations, event_dataset_id, user_dataset_id }: ApiKey) {
  if (event_dataset_id !== null)
    return (
      <span title={event_dataset_id}>
        {user_dataset_id === null ? 'writes events only' : 'writes events and users'}
      </span>
    );
  if (operations === null) return <Badge tone="warn">everything</Badge>;
  return (
    <span title={operations.join(' ')}>
      {operations.length <= 2 ? operations.join(', ') : formatNumberOf(operations.length, 'operation')}
    </span>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useRevokeKey();
  const { last_used_ts } = apiKey;
  return (
    <ConfirmDialog
      title={`Revoke ${nameOfKey(apiKey)}?`}
      action="Revoke"
      change={revoke}
      onConfirm={() => revoke.mutate(apiKey.api_key, { onSuccess: onClose })}
      onClose={onClose}
    >
      {last_used_ts === null
        ? 'The key has not been used yet.'
        : `The key was last used ${formatAgo(last_used_ts)}.`}{' '}
      Programs that use it are refused within two seconds. This cannot be undone.
    </ConfirmDialog>
  );
}
