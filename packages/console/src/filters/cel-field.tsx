import clsx from 'clsx';
import { ListFilter } from 'lucide-react';
import { lazy, Suspense, useId, useMemo, useState } from 'react';
import { Button } from '../components/button.tsx';
import { inputClass } from '../components/field.tsx';
import { useItemSample } from '../items/use-items.ts';
import { attributeHints, unknownAttributes } from './attribute-hints.ts';
import { FilterBuilder } from './filter-builder.tsx';

const CelEditor = lazy(async () => ({ default: (await import('./cel-editor.tsx')).CelEditor }));

interface CelFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  readonly className?: string;
}

/** An expression over `item`, with completion, or built of conditions. It can be edited once the editor has loaded. */
export function CelField({ label, placeholder, value, error, onChange, className }: CelFieldProps) {
  const id = useId();
  const [isBuilding, setBuilding] = useState(false);
  // The editor keeps its own text: another one begins with the text that was built.
  const [built, setBuilt] = useState(0);
  const sample = useItemSample();
  const hints = useMemo(
    () => attributeHints((sample.data ?? []).map(({ attributes }) => attributes)),
    [sample.data],
  );
  const unknown = error === undefined ? unknownAttributes(value, hints) : [];
  // No text field: what is typed into one would be lost when the editor takes its place.
  const loading = (
    <div aria-busy className={clsx(inputClass, 'flex items-center font-mono text-sm text-muted')}>
      {value === '' ? placeholder : value}
    </div>
  );
  return (
    <div className={className}>
      <div className="mb-1 flex items-center justify-between gap-2">
        <p id={id} className="font-medium">
          {label}
        </p>
        {hints.length > 0 && (
          <Button look="quiet" aria-describedby={id} onClick={() => setBuilding(true)}>
            <ListFilter aria-hidden /> Conditions
          </Button>
        )}
      </div>
      <Suspense fallback={loading}>
        <CelEditor
          key={built}
          label={label}
          describedBy={error === undefined ? undefined : `${id}-error`}
          placeholder={placeholder}
          value={value}
          isInvalid={error !== undefined}
          hints={hints}
          onChange={onChange}
        />
      </Suspense>
      {isBuilding && (
        <FilterBuilder
          label={label}
          value={value}
          hints={hints}
          onUse={(expression) => {
            onChange(expression);
            setBuilt(built + 1);
            setBuilding(false);
          }}
          onClose={() => setBuilding(false)}
        />
      )}
      {unknown.length > 0 && (
        <p role="status" className="mt-1 text-sm text-warn">
          None of the sampled items has {unknown.map((name) => `“${name}”`).join(' or ')}. Their attributes:{' '}
          {hints.map(({ name }) => name).join(', ')}.
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
