import clsx from 'clsx';
import { type ComponentProps, type ReactNode, useId } from 'react';

export const inputClass =
  'h-8 w-full min-w-0 rounded-md border border-line-strong bg-card px-2.5 text-ink placeholder:text-muted aria-invalid:border-bad';

export function Field(
  props: ComponentProps<'input'> & { label: string; error?: string | undefined; hint?: ReactNode },
) {
  const { label, error, hint, className, ...rest } = props;
  const id = useId();
  const noteId = `${id}-note`;
  const note = error ?? hint;
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      <input
        id={id}
        className={inputClass}
        aria-invalid={error !== undefined}
        aria-describedby={note === undefined ? undefined : noteId}
        {...rest}
      />
      {note !== undefined && (
        <p id={noteId} className={clsx('mt-1 text-sm', error === undefined ? 'text-muted' : 'text-bad')}>
          {note}
        </p>
      )}
    </div>
  );
}

interface NameFieldProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** The display name of something, as long as the API allows. */
export function NameField({ onChange, ...rest }: NameFieldProps) {
  return <Field label="Name" maxLength={200} onChange={(event) => onChange(event.target.value)} {...rest} />;
}

interface CheckFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function CheckField({ label, hint, checked, onChange }: CheckFieldProps) {
  return (
    <label className="flex items-start gap-2">
      <input
        type="checkbox"
        className="mt-1 accent-accent"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <span className="block text-sm text-muted">{hint}</span>}
      </span>
    </label>
  );
}

export function SelectField(props: ComponentProps<'select'> & { label: string; hideLabel?: boolean }) {
  const { label, hideLabel = false, className, children, ...rest } = props;
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1 block font-medium'}>
        {label}
      </label>
      <select id={id} className={inputClass} {...rest}>
        {children}
      </select>
    </div>
  );
}
