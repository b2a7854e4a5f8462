import { useState } from 'react';
import { Dialog, DoneButton } from '../../components/dialog.tsx';
import { CheckField, labelsOf, NameField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { useAccess } from '../../session/access.tsx';
import { type ApiKey, nameOfKey, useCreateKey, useCreateWriteKey, useUpdateKey } from '../../use/keys.ts';
import { useProject } from '../../use/projects.ts';
import { pathsOfRole, presets } from './operation-names.ts';
import { OperationPicker } from './operation-picker.tsx';

type Choice = keyof typeof presets | 'write' | 'all' | 'some';

const choices: readonly (readonly [Choice, string])[] = [
  ...labelsOf(presets),
  ['write', 'Send events without tokens (write key)'],
  ['all', 'Everything, also manage people'],
  ['some', 'Choose operations'],
];

/** Shows the secret once it is created, and nowhere else. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const { account } = useAccess();
  const paths = pathsOfRole(account.role);
  const [name, setName] = useState('');
  const [choice, setChoice] = useState<Choice>('shop');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [writesTraits, setWritesTraits] = useState(false);
  const { event_dataset_id, user_dataset_id } = useProject();
  const createKey = useCreateKey();
  const createWriteKey = useCreateWriteKey();
  const create = choice === 'write' ? createWriteKey : createKey;
  const operationsOf = (): readonly string[] | undefined => {
    if (choice === 'all' || choice === 'write') return undefined;
    return choice === 'some' ? chosen : paths.filter(presets[choice].includes);
  };
  const submit = () => {
    if (choice === 'write') {
      createWriteKey.mutate({ name, event_dataset_id, ...(writesTraits && { user_dataset_id }) });
      return;
    }
    const operations = operationsOf();
    createKey.mutate({ name, ...(operations && { operations: [...operations] }) });
  };
  const created = create.data;
  return (
    <Dialog
      onClose={onClose}
      title={created ? `${nameOfKey(created)} is ready` : 'New API key'}
      description={
        created
          ? 'Copy it now: the secret is not stored, and cannot be shown again.'
          : 'For one program, limited to what it needs.'
      }
    >
      {created ? (
        <div className="space-y-4">
          {'write_key' in created ? (
            <ShownOnce label="Write key" text={created.write_key} />
          ) : (
            <>
              <ShownOnce label="API key" text={created.api_key} />
              <ShownOnce label="Secret" text={created.api_secret} />
            </>
          )}
          <DoneButton onClose={onClose} />
        </div>
      ) : (
        <Form
          action="Create"
          change={create}
          isDisabled={choice === 'some' && chosen.length === 0}
          isErrorFirst
          onSubmit={submit}
        >
          <NameField autoComplete="off" required placeholder="Web shop" value={name} onChange={setName} />
          <SelectField
            label="What may it do?"
            value={choice}
            choices={choices.filter(([value]) => value !== 'all' || account.role === 'OWNER')}
            onChange={setChoice}
          />
          {choice === 'some' && <OperationPicker paths={paths} chosen={chosen} onChange={setChosen} />}
          {choice === 'write' && (
            <CheckField
              label="Also write the traits of users"
              hint="The key writes to this project's datasets only, and reads nothing."
              checked={writesTraits}
              onChange={setWritesTraits}
            />
          )}
        </Form>
      )}
    </Dialog>
  );
}

/** Renames a key, or changes what it may do. */
export function EditKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account } = useAccess();
  const paths = pathsOfRole(account.role);
  const [name, setName] = useState(apiKey.name ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(apiKey.operations ?? paths);
  const [isLimited, setLimited] = useState(false);
  const update = useUpdateKey();
  const submit = () => {
    const change = {
      api_key: apiKey.api_key,
      ...(name !== '' && { name }),
      ...(isLimited && { operations: [...chosen] }),
    };
    update.mutate(change, { onSuccess: onClose });
  };
  return (
    <Dialog
      onClose={onClose}
      title={`Change ${nameOfKey(apiKey)}`}
      description="Programs that use the key notice within two seconds."
    >
      <Form action="Save" change={update} isDisabled={chosen.length === 0} isErrorFirst onSubmit={submit}>
        <NameField autoComplete="off" value={name} onChange={setName} />
        {apiKey.event_dataset_id === null && (
          <OperationPicker
            paths={[...new Set([...paths, ...(apiKey.operations ?? [])])]}
            chosen={chosen}
            onChange={(next) => {
              setLimited(true);
              setChosen(next);
            }}
          />
        )}
        {apiKey.operations === null && (
          <p className="text-sm text-muted">
            {isLimited
              ? 'To let the key do everything again, create a new one.'
              : 'The key may do everything. It stays so unless you choose operations.'}
          </p>
        )}
      </Form>
    </Dialog>
  );
}
