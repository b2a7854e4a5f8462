import { useMutation, useQuery } from '@tanstack/react-query';
import { Eraser } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Field } from '../../components/field.tsx';
import { EmptyState, QueryView } from '../../components/states.tsx';
import { useAccess } from '../../session/access.tsx';
import { ErasureReceipt } from './erasure-receipt.tsx';

const pollMs = 1500;

/** Erases a user from everything, and shows what was removed and what remains. */
export function ErasureTab() {
  const { client, account } = useAccess();
  const [userId, setUserId] = useState('');
  const [receiptId, setReceiptId] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [shownId, setShownId] = useState<string>();
  const erase = useMutation({
    mutationFn: (user_id: string) => client.eraseUser({ user_id }),
    onSuccess: ({ erasure_id }) => {
      setShownId(erasure_id);
      setAsking(false);
      setUserId('');
    },
  });
  const erasure = useQuery({
    queryKey: [account.account_id, 'erasure', shownId],
    enabled: shownId !== undefined,
    queryFn: ({ signal }) => client.getErasure({ erasure_id: shownId ?? '' }, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'RUNNING' ? pollMs : false),
  });
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    erase.reset();
    setAsking(true);
  };
  const look = (event: SubmitEvent) => {
    event.preventDefault();
    setShownId(receiptId.trim());
  };
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[2fr_3fr]">
      <Card title="Erase a user">
        <form onSubmit={ask} className="space-y-3 p-4">
          <p className="text-muted">
            Deletes the user's records and events in all datasets of the account, and every training snapshot
            and result of a job with their ID. Stop sending events of the user first.
          </p>
          <Field
            label="User ID"
            autoComplete="off"
            spellCheck={false}
            required
            value={userId}
            onChange={setUserId}
          />
          <Button type="submit" look="danger">
            <Eraser aria-hidden /> Erase…
          </Button>
        </form>
        <form onSubmit={look} className="flex flex-wrap items-end gap-2 border-t border-line p-4">
          <Field
            className="min-w-48 flex-1"
            label="Receipt of an earlier erasure"
            autoComplete="off"
            spellCheck={false}
            placeholder="ers_…"
            required
            value={receiptId}
            onChange={setReceiptId}
          />
          <Button type="submit">Show</Button>
        </form>
      </Card>
      <Card title="Receipt">
        {shownId === undefined ? (
          <EmptyState icon={Eraser} title="No erasure to show">
            After an erasure, its receipt is here: what was removed, and what remains until when. Keep its ID
            with the request of the user; the receipt itself does not contain theirs.
          </EmptyState>
        ) : (
          <QueryView query={erasure}>{(receipt) => <ErasureReceipt receipt={receipt} />}</QueryView>
        )}
      </Card>
      {isAsking && (
        <ConfirmDialog
          title="Erase this user?"
          action="Erase"
          typed={{ label: `Type ${userId} to confirm`, text: userId }}
          change={erase}
          onConfirm={() => erase.mutate(userId)}
          onClose={() => setAsking(false)}
        >
          All data of the user <strong>{userId}</strong> in {account.name} is deleted for good, in every
          project. This cannot be undone.
        </ConfirmDialog>
      )}
    </div>
  );
}
