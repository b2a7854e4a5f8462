import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { formatAgo, formatNumberOf, formatTime } from '../../format.ts';
import { type ApiKey, nameOfKey, useKeys, useRevokeKey } from '../../use/keys.ts';
import { EditKeyDialog, NewKeyDialog } from './key-dialogs.tsx';

/** What programs call the API with. */
export function KeysTab() {
  const keys = useKeys();
  const [isCreating, setCreating] = useState(false);
  const [edited, setEdited] = useState<ApiKey>();
  const [revoked, setRevoked] = useState<ApiKey>();
  const [showsRevoked, setShowsRevoked] = useState(false);
  const newKey = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden /> New key
    </Button>
  );
  return (
    <Card
      title="API keys"
      hint="what programs call the API with"
      actions={
        <>
          <label className="flex items-center gap-1.5 whitespace-nowrap">
            <input
              type="checkbox"
              checked={showsRevoked}
              onChange={(event) => setShowsRevoked(event.target.checked)}
            />
            Show revoked
          </label>
          {newKey}
        </>
      }
    >
      <QueryView query={keys}>
        {(list) => {
          const shown = list.filter(({ revoked_ts }) => showsRevoked || revoked_ts === null);
          return shown.length === 0 ? (
            <EmptyState icon={<KeyRound aria-hidden />} title="No API keys yet" action={newKey}>
              Create a key for each program that sends events or asks for recommendations, limited to what it
              needs.
            </EmptyState>
          ) : (
            <div className="relative overflow-x-auto">
              <table className="w-full min-w-176">
                <TableHead
                  columns={[
                    { title: 'Key' },
                    { title: 'Allows' },
                    { title: 'Created' },
                    { title: 'Last used' },
                    { title: 'Actions', isHidden: true },
                  ]}
                />
                <tbody className="divide-y divide-line">
                  {shown.map((key) => (
                    <KeyRow
                      key={key.api_key}
                      apiKey={key}
                      onEdit={() => setEdited(key)}
                      onRevoke={() => setRevoked(key)}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          );
        }}
      </QueryView>
      <ShowMore query={keys} />
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
      {edited && <EditKeyDialog apiKey={edited} onClose={() => setEdited(undefined)} />}
      {revoked && <RevokeDialog apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </Card>
  );
}

function KeyRow(props: { apiKey: ApiKey; onEdit: () => void; onRevoke: () => void }) {
  const { apiKey, onEdit, onRevoke } = props;
  const { operations, event_dataset_id, user_dataset_id, created_ts, last_used_ts, revoked_ts } = apiKey;
  const name = nameOfKey(apiKey);
  return (
    <tr>
      <td className="max-w-72 px-4 py-2">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate font-mono text-xs text-muted">{apiKey.api_key}</span>
      </td>
      <td className="px-2 py-2">
        {event_dataset_id !== null ? (
          <span title={event_dataset_id}>
            {user_dataset_id === null ? 'writes events only' : 'writes events and users'}
          </span>
        ) : operations === null ? (
          <Badge tone="warn">everything</Badge>
        ) : (
          <span title={operations.join(' ')}>
            {operations.length <= 2 ? operations.join(', ') : formatNumberOf(operations.length, 'operation')}
          </span>
        )}
      </td>
      <td className="px-2 py-2 whitespace-nowrap" title={formatTime(created_ts)}>
        {formatAgo(created_ts)}
      </td>
      <td
        className="px-2 py-2 whitespace-nowrap"
        title={last_used_ts === null ? undefined : formatTime(last_used_ts)}
      >
        {last_used_ts === null ? <span className="text-muted">never</span> : formatAgo(last_used_ts)}
      </td>
      <td className="px-4 py-2">
        {revoked_ts === null ? (
          <div className="flex justify-end gap-2">
            <Button onClick={onEdit} aria-label={`Change ${name}`}>
              Change
            </Button>
            <Button look="danger" onClick={onRevoke} aria-label={`Revoke ${name}`}>
              Revoke
            </Button>
          </div>
        ) : (
          <p className="text-right" title={formatTime(revoked_ts)}>
            <Badge>revoked</Badge>
          </p>
        )}
      </td>
    </tr>
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
