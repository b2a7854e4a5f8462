import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { sessionQuery, setPassword } from '../session/session.ts';

const minLength = 12;

/** For the first password as for another one. Other sessions of the person end. */
export function PasswordDialog(props: { open: boolean; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [password, setNew] = useState('');
  const [current, setCurrent] = useState('');
  const change = useMutation({
    mutationFn: () => setPassword(password, current === '' ? undefined : current),
    onSuccess: async () => {
      setNew('');
      setCurrent('');
      // The session has been replaced, and its CSRF token with it.
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      props.onClose();
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Dialog {...props} title="Set a password" description="To sign in without a one-time link.">
      <form onSubmit={submit} className="space-y-4">
        {change.error && (
          <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
            {change.error.message}
          </p>
        )}
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          minLength={minLength}
          required
          hint={`At least ${minLength} characters.`}
          value={password}
          onChange={setNew}
        />
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          hint="Empty if you have none, or have just signed in with a link."
          value={current}
          onChange={setCurrent}
        />
        <div className="flex justify-end">
          <Button type="submit" look="primary" disabled={change.isPending}>
            Set password
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
