import { useState } from 'react';
import { Input } from '../../components/field.tsx';
import { titleOfPath } from './operation-names.ts';

interface PickerProps {
  readonly paths: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The operations of the API, to tick. */
export function OperationPicker({ paths, chosen, onChange }: PickerProps) {
  const [words, setWords] = useState('');
  const shown = paths.filter((path) => path.includes(words.trim().toLowerCase().replaceAll(' ', '-')));
  const toggle = (path: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, path] : chosen.filter((each) => each !== path));
  return (
    <fieldset>
      <legend className="mb-1 font-medium">Operations ({chosen.length} chosen)</legend>
      <Input
        type="search"
        aria-label="Find operations"
        placeholder="Find operations, such as recommend"
        value={words}
        onChange={setWords}
      />
      <ul className="mt-2 max-h-56 overflow-y-auto rounded-md border border-line p-1">
        {shown.map((path) => (
          <li key={path}>
            <label className="flex items-baseline gap-2 rounded px-1.5 py-1 hover:bg-sunken">
              <input
                type="checkbox"
                checked={chosen.includes(path)}
                onChange={(event) => toggle(path, event.target.checked)}
              />
              {titleOfPath(path)}
            </label>
          </li>
        ))}
        {shown.length === 0 && <li className="px-1.5 py-1 text-muted">No operation contains these words.</li>}
      </ul>
    </fieldset>
  );
}
