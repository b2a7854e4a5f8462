import { useId } from 'react';
import { CopyButton } from './copy-button.tsx';

/** A secret with a button to copy it. It is in no storage of the browser: when the dialog is closed, it is gone. */
export function ShownOnce({ label, text }: { label: string; text: string }) {
  const id = useId();
  return (
    <div>
      <p id={id} className="mb-1 font-medium">
        {label}
      </p>
      <div className="flex items-center gap-2">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long value scrolls, also by keyboard */}
        <code
          aria-labelledby={id}
          role="group"
          tabIndex={0}
          className="min-w-0 flex-1 overflow-x-auto rounded-md bg-sunken px-2.5 py-1.5 whitespace-nowrap"
        >
          {text}
        </code>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
