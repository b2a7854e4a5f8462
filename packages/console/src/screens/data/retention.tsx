import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { formatNumberOf } from '../../format.ts';
import { useMay } from '../../session/access.tsx';
import { useChange } from '../../use/change.ts';

/** The limit of the API. */
const maxDays = 36_500;

interface RetentionProps {
  readonly datasetId: string;
  /** Null if events are kept. */
  readonly days: number | null;
}

/** How long the events of a dataset are kept. */
export function Retention({ datasetId, days }: RetentionProps) {
  // A shorter retention deletes events.
  const canChange = useMay('deleteDatasetEventsBeforeTs');
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="mt-2 flex items-center justify-between gap-2 text-sm text-muted">
      {days === null
        ? 'Events are kept until you delete them.'
        : `Events are deleted after ${formatNumberOf(days, 'day')}.`}
      {canChange && (
        <IconButton label="Change how long events are kept" onClick={() => setOpen(true)}>
          <Pencil aria-hidden />
        </IconButton>
      )}
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Retention of events"
        description="Older events are deleted now, and from then on every hour. They cannot be restored."
      >
        <RetentionForm datasetId={datasetId} days={days} onDone={() => setOpen(false)} />
      </Dialog>
    </div>
  );
}

function RetentionForm({ datasetId, days, onDone }: RetentionProps & { onDone: () => void }) {
  const [text, setText] = useState(days === null ? '' : String(days));
  const save = useChange(
    (client, retention_days: number | null) =>
      client.updateEventDataset({ event_dataset_id: datasetId, retention_days }),
    [['datasets']],
  );
  const submit = () => save.mutate(text === '' ? null : Number(text), { onSuccess: onDone });
  return (
    <Form action="Save" change={save} isErrorFirst onSubmit={submit}>
      <Field
        label="Days"
        type="number"
        min={1}
        max={maxDays}
        step={1}
        value={text}
        hint="Leave it empty to keep events until you delete them."
        onChange={setText}
      />
    </Form>
  );
}
