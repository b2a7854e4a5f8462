import { ListFilter } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { Button } from '../components/button.tsx';
import { useItemSample } from '../use/items.ts';
import { attributeHints, unknownAttributes } from './attribute-hints.ts';
import type { CelEditor, CelEditorProps, Typing } from './cel-editor.tsx';
import { FilterBuilder } from './filter-builder.tsx';

interface CelFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  readonly className?: string;
}

/** An expression over `item`, with completion, or built of conditions. Plain text until it is focused: unused editors would keep the page busy. */
export function CelField({ label, placeholder, value, error, onChange, className }: CelFieldProps) {
  const id = useId();
  const [isBuilding, setBuilding] = useState(false);
  const [editor, setEditor] = useState<{
    readonly Component: typeof CelEditor;
    readonly typing: Typing | undefined;
    /** The count below when it was created. */
    readonly built: number;
  }>();
  // The editor keeps its own text: another one begins with the text that was built.
  const [built, setBuilt] = useState(0);
  const sample = useItemSample();
  const hints = useMemo(
    () => attributeHints((sample.data ?? []).map(({ attributes }) => attributes)),
    [sample.data],
  );
  const unknown = error === undefined ? unknownAttributes(value, hints) : [];
  const describedBy = error === undefined ? undefined : `${id}-error`;
  const field = { label, describedBy, placeholder, value, isInvalid: error !== undefined, onChange };
  return (
    <div className={className}>
      <div className="mb-1 flex items-center justify-between gap-2">
        <p id={id} className="font-medium">
          {label}
        </p>
        {hints.length > 0 && (
          // As high as a label, so that fields beside this one are level with it.
          <Button look="quiet" className="-my-1.5" aria-describedby={id} onClick={() => setBuilding(true)}>
            <ListFilter aria-hidden /> Conditions
          </Button>
        )}
      </div>
      {editor ? (
        <editor.Component
          key={built}
          {...field}
          hints={hints}
          typing={editor.built === built ? editor.typing : undefined}
        />
      ) : (
        <PlainField {...field} onEditor={(Component, typing) => setEditor({ Component, typing, built })} />
      )}
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

interface PlainFieldProps extends Omit<CelEditorProps, 'hints' | 'typing'> {
  readonly onEditor: (Component: typeof CelEditor, typing: Typing | undefined) => void;
}

/** Looks like the editor, and works without it. Loads it when somebody comes. */
function PlainField(props: PlainFieldProps) {
  const { label, describedBy, placeholder, value, isInvalid, onChange, onEditor } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const isComposing = useRef(false);
  const loadEditor = async () => {
    const before = value;
    const { CelEditor: Component } = await import('./cel-editor.tsx');
    const swap = () => {
      const { current } = field;
      if (!current) return;
      const { selectionStart: from, selectionEnd: to } = current;
      const typing = { from, to, hasTyped: current.value !== before };
      onEditor(Component, document.activeElement === current ? typing : undefined);
    };
    // A character that is still composed of several keys would be lost.
    if (isComposing.current) field.current?.addEventListener('compositionend', swap, { once: true });
    else swap();
  };
  return (
    <textarea
      ref={field}
      rows={1}
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      placeholder={placeholder}
      autoCapitalize="off"
      autoComplete="off"
      spellCheck={false}
      value={value}
      className="block field-sizing-content min-h-8 w-full min-w-0 resize-none rounded-md border border-line-strong bg-card px-2.5 py-1.5 font-mono text-[13px] text-ink placeholder:text-muted"
      // Without the editor, the field still works.
      onFocus={() => void loadEditor().catch(() => undefined)}
      onCompositionStart={() => {
        isComposing.current = true;
      }}
      onCompositionEnd={() => {
        isComposing.current = false;
      }}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
