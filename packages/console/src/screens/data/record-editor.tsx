import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Input, Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { QueryView } from '../../components/states.tsx';
import type { Attributes } from '../../items/describe-item.ts';
import { type AttributeDraft, changesBetween, draftsOf, valueKinds, valueOf } from './attribute-drafts.ts';
import { useChangeRecord, useRecord } from './use-record-changes.ts';
import type { FoundRecord } from './use-records.ts';

/** The attributes of one record, to be changed by hand. */
export function RecordEditor({ record, onDone }: { record: FoundRecord; onDone: () => void }) {
  const query = useRecord(record);
  return (
    <QueryView query={query}>
      {(attributes) => <EditorForm record={record} attributes={attributes} onDone={onDone} />}
    </QueryView>
  );
}

interface EditorFormProps {
  readonly record: FoundRecord;
  readonly attributes: Attributes;
  readonly onDone: () => void;
}

function EditorForm({ record, attributes, onDone }: EditorFormProps) {
  const change = useChangeRecord(record);
  // What the form started with: the query may read the record again meanwhile.
  const [before] = useState(attributes);
  const [drafts, setDrafts] = useState<readonly AttributeDraft[]>(() => draftsOf(attributes));
  const names = drafts.map(({ name }) => name);
  const isWrong = drafts.some((draft) => valueOf(draft) === undefined);
  const isTwice = new Set(names).size < names.length;
  const set = (index: number, next: Partial<AttributeDraft>) =>
    setDrafts(drafts.map((one, at) => (at === index ? { ...one, ...next } : one)));
  return (
    <Form
      action="Save"
      change={change}
      isDisabled={isWrong || isTwice}
      onSubmit={() => change.mutate(changesBetween(before, drafts), { onSuccess: onDone })}
      onCancel={onDone}
    >
      <ul className="space-y-2">
        {drafts.map((draft, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: attributes have no other identity while they are named
          <li key={index} className="flex flex-wrap items-center gap-2">
            <Input
              aria-label={`Name of attribute ${index + 1}`}
              className="min-w-24 flex-1"
              required
              value={draft.name}
              // The name of an attribute that exists stays: another name is another attribute.
              readOnly={Object.hasOwn(before, draft.name)}
              onChange={(name) => set(index, { name })}
            />
            <Select
              aria-label={`Kind of ${draft.name}`}
              className="!w-32"
              value={draft.kind}
              choices={valueKinds}
              onChange={(kind) => set(index, { kind })}
            />
            <ValueField draft={draft} onChange={(text) => set(index, { text })} />
            <IconButton
              label={`Remove ${draft.name}`}
              onClick={() => setDrafts(drafts.filter((_, at) => at !== index))}
            >
              <Trash2 aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      <Button look="quiet" onClick={() => setDrafts([...drafts, { name: '', kind: 'text', text: '' }])}>
        <Plus aria-hidden /> Add an attribute
      </Button>
      {isTwice && <p className="text-sm text-bad">Two attributes have the same name.</p>}
      <p className="text-sm text-muted">
        The next recommendation uses the new values; models learn them with the next training.
      </p>
    </Form>
  );
}

function ValueField({ draft, onChange }: { draft: AttributeDraft; onChange: (text: string) => void }) {
  const label = `Value of ${draft.name}`;
  if (draft.kind === 'boolean')
    return (
      <Select
        aria-label={label}
        className="min-w-32 flex-2"
        value={draft.text === 'true' ? 'true' : 'false'}
        choices={{ true: 'yes', false: 'no' }}
        onChange={onChange}
      />
    );
  return (
    <Input
      aria-label={label}
      className="min-w-32 flex-2"
      inputMode={draft.kind === 'number' ? 'decimal' : undefined}
      placeholder={draft.kind === 'list' ? 'Crime, Poetry' : undefined}
      value={draft.text}
      aria-invalid={valueOf(draft) === undefined}
      onChange={onChange}
    />
  );
}
