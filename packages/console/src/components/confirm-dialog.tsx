import { type ReactNode, type SubmitEvent, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { ErrorState } from './states.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly children: ReactNode;
  /** What the button does. */
  readonly action: string;
  /** For what cannot be undone: the text that the person has to type. */
  readonly typed?: { readonly label: string; readonly text: string };
  readonly change: { readonly isPending: boolean; readonly error: unknown };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is taken away. Open for as long as it is rendered. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, children, action, typed, change, onConfirm, onClose } = props;
  const [text, setText] = useState('');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title}>
      <form onSubmit={submit} className="space-y-4">
        <div className="break-words">{children}</div>
        {typed && (
          <Field
            label={typed.label}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        {change.error !== null && <ErrorState error={change.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="danger"
            disabled={change.isPending || (typed !== undefined && text !== typed.text)}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
