import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Bar } from '../components/bar.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Field, SelectField } from '../components/field.tsx';
import { ErrorState, Skeleton } from '../components/states.tsx';
import { formatCompact, formatCount, formatNumberOf } from '../format.ts';
import { useAccess } from '../session/access.tsx';
import { useProject } from '../use/projects.ts';
import { ImportResult } from './import-result.tsx';
import { MappingTable } from './mapping-table.tsx';
import { type OpenedFile, openFile } from './open-file.ts';
import { type Choices, countRepeats, guessKind, planImport } from './plan.ts';
import { type ImportState, runImport } from './run-import.ts';

/** Shows what the file's columns become, then imports it. */
export function ImportDialog({ file, onClose }: { file: File; onClose: () => void }) {
  const [opened, setOpened] = useState<OpenedFile>();
  const opening = useMutation({ mutationFn: openFile, onSuccess: setOpened });
  const { mutate } = opening;
  useEffect(() => mutate(file), [mutate, file]);
  return (
    <Dialog
      wide
      title={`Import ${file.name}`}
      description="Check what each column becomes. Records that exist already are replaced."
      onClose={onClose}
    >
      {opening.error && <ErrorState error={opening.error} />}
      {opened ? <ImportForm opened={opened} onClose={onClose} /> : !opening.error && <Skeleton lines={5} />}
    </Dialog>
  );
}

function ImportForm({ opened, onClose }: { opened: OpenedFile; onClose: () => void }) {
  const { client, account } = useAccess();
  const project = useProject();
  const queryClient = useQueryClient();
  const [choices, setChoices] = useState<Choices>(() => ({
    kind: guessKind(opened),
    targets: new Map(),
    eventType: project.target_event_type,
  }));
  const [state, setState] = useState<ImportState>({ share: 0, records: 0, failed: 0 });
  const stop = useRef(new AbortController());
  const plan = useMemo(() => planImport(opened, choices), [opened, choices]);
  const { mapping, problem } = plan;
  const repeats = mapping ? countRepeats(opened, mapping) : 0;
  const [repeated, setRepeated] = useState<'MERGE' | 'REPLACE'>('MERGE');
  const mode = repeats > 0 ? repeated : 'REPLACE';
  const run = useMutation({
    mutationFn: async () => {
      if (!mapping) throw new Error(problem);
      const datasetId = {
        users: project.user_dataset_id,
        items: project.item_dataset_id,
        events: project.event_dataset_id,
      }[mapping.kind];
      return runImport(client, { opened, mapping, datasetId, mode }, setState, stop.current.signal);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: [account.account_id] }),
  });
  if (run.data) return <ImportResult {...run.data} onClose={onClose} />;
  if (run.isPending)
    return <Progress state={state} onCancel={() => stop.current.abort(new Error('Canceled.'))} />;
  const hasTypeColumn = mapping?.fields.some(({ name }) => name === 'event_type') ?? false;
  return (
    <div className="space-y-4">
      {run.error && <ErrorState error={run.error} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="The rows are"
          value={choices.kind}
          choices={{ users: 'users', items: 'items', events: 'events' }}
          onChange={(kind) => setChoices({ ...choices, kind, targets: new Map() })}
        />
        {choices.kind === 'events' && !hasTypeColumn && (
          <Field
            label="Type of all events"
            value={choices.eventType}
            onChange={(eventType) => setChoices({ ...choices, eventType })}
            hint="No column has the type."
          />
        )}
      </div>
      {repeats > 0 && (
        <SelectField
          label={`${formatNumberOf(repeats, 'row')} of the first ${formatCount(opened.sample.length)} have the ID of an earlier row`}
          value={repeated}
          choices={{
            MERGE: 'Merge them: empty cells change nothing',
            REPLACE: 'Keep only the last row of each ID',
          }}
          onChange={setRepeated}
        />
      )}
      {opened.encoding !== 'utf-8' && (
        <p className="text-muted">The file is not UTF-8, and is read as Windows-1252 (Western Europe).</p>
      )}
      <MappingTable opened={opened} mapping={mapping} choices={choices} onChange={setChoices} />
      {problem !== undefined && (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          {problem}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={!mapping} onClick={() => run.mutate()}>
          <Upload aria-hidden /> Import
        </Button>
      </div>
    </div>
  );
}

function Progress({ state, onCancel }: { state: ImportState; onCancel: () => void }) {
  return (
    <div className="space-y-3">
      <Bar role="progressbar" label="Import" value={Math.round(state.share * 100)} max={100} />
      <p className="text-muted">
        {formatCompact(state.records)} records written, {formatCompact(state.failed)} rejected
      </p>
      <div className="flex justify-end">
        <Button onClick={onCancel}>Stop</Button>
      </div>
    </div>
  );
}
