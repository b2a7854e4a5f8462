import clsx from 'clsx';
import { type ComponentProps, type ReactNode, useId } from 'react';

export const inputClass =
  'h-8 w-full min-w-0 rounded-md border border-line-strong bg-card px-2.5 text-ink placeholder:text-muted aria-invalid:border-bad';

interface InputProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly onChange?: (text: string) => void;
}

export function Input({ onChange, className, ...rest }: InputProps) {
  return (
    <input
      className={clsx(inputClass, className)}
      onChange={(event) => onChange?.(event.target.value)}
      {...rest}
    />
  );
}

export function Field(props: InputProps & { readonly label: string; readonly hint?: ReactNode }) {
  const { label, hint, className, ...rest } = props;
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      <Input id={id} aria-describedby={hint === undefined ? undefined : noteId} {...rest} />
      {hint !== undefined && (
        <p id={noteId} className="mt-1 text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

/** The display name of something, as long as the API allows. */
export const NameField = (props: InputProps) => <Field label="Name" maxLength={200} {...props} />;

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

interface SelectProps<V extends string>
  extends Omit<ComponentProps<'select'>, 'value' | 'onChange' | 'children'> {
  readonly value: V;
  /** What is shown for each value: by default, the value. */
  readonly choices: Readonly<Record<V, string>> | readonly (V | readonly [V, string])[];
  readonly onChange: (value: V) => void;
}

/** The choices of a table whose entries have a label. */
export const labelsOf = <V extends string>(entries: Readonly<Record<V, { readonly label: string }>>) =>
  (Object.keys(entries) as V[]).map((value) => [value, entries[value].label] as const);

export function Select<V extends string>({ choices, onChange, className, ...rest }: SelectProps<V>) {
  const options = Array.isArray(choices) ? choices : Object.entries(choices);
  return (
    <select
      className={clsx(inputClass, className)}
      onChange={(event) => onChange(event.target.value as V)}
      {...rest}
    >
      {options.map((choice: string | readonly [string, string]) => {
        const [value, label] = typeof choice === 'string' ? [choice, choice] : choice;
        return (
          <option key={value} value={value}>
            {label}
          </option>
        );
      })}
    </select>
  );
}

export function SelectField<V extends string>(
  props: SelectProps<V> & { readonly label: string; readonly hideLabel?: boolean },
) {
  const { label, hideLabel = false, className, ...rest } = props;
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1 block font-medium'}>
        {label}
      </label>
      <Select id={id} {...rest} />
    </div>
  );
}
