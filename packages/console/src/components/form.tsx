import type { ReactNode } from 'react';
import { Button, type ButtonLook } from './button.tsx';
import { ErrorState } from './states.tsx';

interface FormProps {
  /** What the button says. */
  readonly action: string;
  readonly icon?: ReactNode;
  readonly look?: ButtonLook;
  /** What the form does, once it is submitted. */
  readonly change: { readonly isPending: boolean; readonly error: unknown };
  readonly isDisabled?: boolean;
  /** Above the fields, where the button is far below them. */
  readonly isErrorFirst?: boolean;
  readonly onSubmit: () => void;
  /** At the other end of the line with the buttons. */
  readonly aside?: ReactNode;
  /** For a form that is not closed otherwise. */
  readonly onCancel?: () => void;
  readonly children: ReactNode;
}

/** Fields, what went wrong with them, and the button that submits them. */
export function Form(props: FormProps) {
  const { action, icon, look = 'primary', change, isDisabled = false, onSubmit, onCancel } = props;
  const { aside, children } = props;
  const error = change.error !== null && <ErrorState error={change.error} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      className="space-y-4"
    >
      {props.isErrorFirst && error}
      {children}
      {!props.isErrorFirst && error}
      <div className="flex justify-end gap-2">
        {aside}
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" look={look} disabled={change.isPending || isDisabled}>
          {icon !== undefined && <>{icon} </>}
          {action}
        </Button>
      </div>
    </form>
  );
}
