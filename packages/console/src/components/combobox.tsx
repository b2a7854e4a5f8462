import clsx from 'clsx';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { inputClass } from './field.tsx';

interface Choice {
  readonly id: string;
  readonly label: ReactNode;
}

interface ComboboxProps {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly choices: readonly Choice[];
  readonly isLoading: boolean;
  readonly onChoose: (id: string) => void;
  readonly icon?: ReactNode;
  /** Below the choices. */
  readonly note?: string | undefined;
}

/** A text field with suggestions, as the ARIA pattern has it. What is typed may be chosen too, listed or not. */
export function Combobox(props: ComboboxProps) {
  const { label, placeholder, text, onText, choices, isLoading, onChoose, icon, note } = props;
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const choose = (chosen: string) => {
    setOpen(false);
    setActive(-1);
    onChoose(chosen);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (choices.length > 0) setActive((active + step + choices.length) % choices.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const chosen = choices[active]?.id ?? text.trim();
      if (chosen !== '') choose(chosen);
    } else if (event.key === 'Escape') {
      setOpen(false);
    }
  };
  const hasList = isOpen && (choices.length > 0 || isLoading || note !== undefined);
  return (
    <div className="relative min-w-0">
      {icon !== undefined && (
        <span className="pointer-events-none absolute top-0 left-2.5 flex h-8 items-center text-muted [&_svg]:size-4">
          {icon}
        </span>
      )}
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={hasList}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={hasList && active >= 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        className={clsx(inputClass, icon !== undefined && 'pl-8')}
        value={text}
        onChange={(event) => {
          onText(event.target.value);
          setOpen(true);
          setActive(-1);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div
        hidden={!hasList}
        className="absolute z-30 mt-1 max-h-72 w-full min-w-56 overflow-y-auto rounded-md border border-line bg-card p-1 shadow-lg"
      >
        <div id={`${id}-list`} role="listbox" aria-label={label}>
          {choices.map((choice, index) => (
            <div
              key={choice.id}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={clsx(
                'truncate rounded px-2 py-1.5',
                index === active ? 'bg-sunken' : 'hover:bg-sunken',
              )}
              // On mouse down, because the field loses the focus before a click.
              onMouseDown={(event) => {
                event.preventDefault();
                choose(choice.id);
              }}
            >
              {choice.label}
            </div>
          ))}
        </div>
        {choices.length === 0 && isLoading && <div className="px-2 py-1.5 text-muted">Looking…</div>}
        {note !== undefined && (
          <div role="status" className="px-2 py-1.5 text-sm text-muted">
            {note}
          </div>
        )}
      </div>
    </div>
  );
}
