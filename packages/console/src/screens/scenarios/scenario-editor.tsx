import { useBlocker, useNavigate } from '@tanstack/react-router';
import { ArrowLeft, History, Save, Trash2 } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Card, PageHeader } from '../../components/card.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog, DialogButton } from '../../components/dialog.tsx';
import { NameField, SelectField } from '../../components/field.tsx';
import { ErrorState } from '../../components/states.tsx';
import { ruleErrors } from '../../rules/rules.ts';
import { useMay } from '../../session/access.tsx';
import {
  type Question,
  type Scenario,
  settingsOf,
  useDeleteScenario,
  useSaveScenario,
} from '../../use/scenarios.ts';
import { useSettled } from '../../use-settled.ts';
import { useSlices } from '../../use-slices.ts';
import { draftOf, settingsFrom } from './draft.ts';
import { Preview } from './preview.tsx';
import { differencesOf, questionLabels, type ScenariosSearch } from './settings.ts';
import { SettingsForm } from './settings-form.tsx';
import { Versions } from './versions.tsx';

/** The settings on the left, what they lead to for real users on the right, before they are saved. */
export function ScenarioEditor({ scenario }: { scenario: Scenario | undefined }) {
  const navigate = useNavigate({ from: '/accounts/$accountId/projects/$projectId/scenarios' });
  const goTo = (search: ScenariosSearch) => void navigate({ search });
  const stored = useMemo(() => (scenario ? settingsOf(scenario) : {}), [scenario]);
  const [name, setName] = useState(scenario?.name ?? '');
  const [question, setQuestion] = useState<Question>(scenario?.question ?? 'ITEMS_TO_USER');
  const [draft, setDraft] = useState(() => draftOf(stored));
  const settings = settingsFrom(draft, question);
  const settled = useSettled(JSON.stringify(settings));
  const [previewError, setPreviewError] = useState<unknown>(null);
  const save = useSaveScenario();
  const canSave = useMay(scenario ? 'updateScenario' : 'createScenario');
  const changes = differencesOf(settingsFrom(draftOf(stored), question), settings).length;
  const errors = ruleErrors(save.error ?? previewError);
  const isLeaving = useRef(false);
  const shown = useSlices(2);
  /** Without a question: what was edited is saved, or deleted. */
  const leaveFor = async (search: ScenariosSearch) => {
    isLeaving.current = true;
    await navigate({ search });
    isLeaving.current = false;
  };
  const blocker = useBlocker({
    shouldBlockFn: () => !isLeaving.current,
    enableBeforeUnload: () => !isLeaving.current,
    disabled: changes === 0,
    withResolver: true,
  });
  const submit = () =>
    save.mutate(
      { name: name.trim(), question, settings, version: scenario?.version },
      { onSuccess: (saved) => void leaveFor({ scenario: saved.name }) },
    );
  return (
    <>
      <PageHeader
        title={scenario ? scenario.name : 'New scenario'}
        hint={
          scenario
            ? `Recommends ${questionLabels[question]}. Version ${scenario.version}${changes > 0 ? ', with changes that are not saved' : ''}.`
            : 'The preview shows what calls with this scenario will get, before you save it.'
        }
        actions={
          <>
            <Button look="quiet" onClick={() => goTo({})}>
              <ArrowLeft aria-hidden /> All scenarios
            </Button>
            {scenario && <VersionsButton scenario={scenario} />}
            {scenario && <DeleteButton name={scenario.name} onDeleted={() => void leaveFor({})} />}
            {canSave && (
              <Button
                look="primary"
                onClick={submit}
                disabled={save.isPending || name.trim() === '' || (scenario !== undefined && changes === 0)}
              >
                <Save aria-hidden /> {scenario ? 'Save new version' : 'Create scenario'}
              </Button>
            )}
          </>
        }
      />
      {blocker.status === 'blocked' && (
        <ConfirmDialog
          title="Leave without saving?"
          action="Leave"
          change={{ isPending: false, error: null }}
          onConfirm={blocker.proceed}
          onClose={blocker.reset}
        >
          Your changes to the scenario will be lost.
        </ConfirmDialog>
      )}
      {save.error && errors.size === 0 && <ErrorState error={save.error} />}
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <Card title="Rules" aria-label="Rules">
          <div className="space-y-5 px-4 py-4">
            {!scenario && (
              <div className="grid gap-4 sm:grid-cols-2">
                <NameField value={name} placeholder="home" onChange={setName} />
                <SelectField
                  label="Recommends"
                  value={question}
                  choices={questionLabels}
                  onChange={setQuestion}
                />
              </div>
            )}
            {shown > 0 && (
              <SettingsForm question={question} draft={draft} onChange={setDraft} errors={errors} />
            )}
          </div>
        </Card>
        {shown > 1 && <Preview question={question} settings={settled} onError={setPreviewError} />}
      </div>
    </>
  );
}

function VersionsButton({ scenario }: { scenario: Scenario }) {
  return (
    <DialogButton
      icon={<History aria-hidden />}
      label="Versions"
      look="plain"
      wide
      title={`Versions of “${scenario.name}”`}
      description="The last 20 are kept. Restoring one saves its settings as a new version."
    >
      {(onClose) => <Versions scenario={scenario} onRestored={onClose} />}
    </DialogButton>
  );
}

function DeleteButton({ name, onDeleted }: { name: string; onDeleted: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const remove = useDeleteScenario();
  const canDelete = useMay('deleteScenario');
  if (!canDelete) return null;
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        <Trash2 aria-hidden /> Delete
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={`Delete “${name}”?`}
        description="Calls that send its name fail from then on. Its versions are deleted too."
      >
        {remove.error && <ErrorState error={remove.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={() => setOpen(false)}>Keep it</Button>
          <Button
            look="danger"
            disabled={remove.isPending}
            onClick={() => remove.mutate(name, { onSuccess: onDeleted })}
          >
            Delete
          </Button>
        </div>
      </Dialog>
    </>
  );
}
