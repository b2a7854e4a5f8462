import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { Form } from './form.tsx';

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
  return (
    <Dialog onClose={onClose} title={title}>
      <Form
        action={action}
        look="danger"
        change={change}
        isDisabled={typed !== undefined && text !== typed.text}
        onSubmit={onConfirm}
        onCancel={onClose}
      >
        <div className="break-words">{children}</div>
        {typed && (
          <Field label={typed.label} autoComplete="off" spellCheck={false} value={text} onChange={setText} />
        )}
      </Form>
    </Dialog>
  );
}
