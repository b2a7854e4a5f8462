import clsx from 'clsx';
import { lazy, Suspense, useId, useMemo } from 'react';
import { inputClass } from '../components/field.tsx';
import { useItemSample } from '../items/use-items.ts';
import { attributeHints } from './attribute-hints.ts';

const CelEditor = lazy(async () => ({ default: (await import('./cel-editor.tsx')).CelEditor }));

interface CelFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  readonly className?: string;
}

/** An expression over `item`, with completion. Until the editor has loaded it is a text field. */
export function CelField({ label, placeholder, value, error, onChange, className }: CelFieldProps) {
  const id = useId();
  const sample = useItemSample();
  const hints = useMemo(
    () => attributeHints((sample.data?.items ?? []).map(({ attributes }) => attributes)),
    [sample.data],
  );
  const plain = (
    <input
      className={clsx(inputClass, 'font-mono text-sm')}
      aria-label={label}
      value={value}
      placeholder={placeholder}
      readOnly
    />
  );
  return (
    <div className={className}>
      <p id={id} className="mb-1 font-medium">
        {label}
      </p>
      <Suspense fallback={plain}>
        <CelEditor
          label={label}
          describedBy={error === undefined ? undefined : `${id}-error`}
          placeholder={placeholder}
          value={value}
          isInvalid={error !== undefined}
          hints={hints}
          onChange={onChange}
        />
      </Suspense>
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
