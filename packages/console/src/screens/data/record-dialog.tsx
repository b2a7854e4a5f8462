import { Link } from '@tanstack/react-router';
import { Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, buttonClass } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Entry } from '../../components/entry.tsx';
import { formatValue, pictureOf, titleOf } from '../../items/describe-item.ts';
import { History } from '../../items/history.tsx';
import { ItemPicture } from '../../items/item-picture.tsx';
import { useMay } from '../../session/access.tsx';
import { useItemLook } from '../../use/items.ts';
import { projectPath } from '../../use/projects.ts';
import { RecordEditor } from './record-editor.tsx';
import { useDeleteRecord, useRecord } from './use-record-changes.ts';
import type { FoundRecord } from './use-records.ts';

interface RecordDialogProps {
  readonly record: FoundRecord | undefined;
  readonly onClose: () => void;
}

/** A user or an item in full; a user with the newest events. */
export function RecordDialog({ record, onClose }: RecordDialogProps) {
  const look = useItemLook();
  if (!record) return null;
  const { kind, id, attributes } = record;
  return (
    <Dialog
      onClose={onClose}
      title={kind === 'items' ? titleOf(id, attributes, look) : id}
      description={kind === 'items' ? `Item ${id}` : `User ${id}`}
      wide
    >
      <RecordView key={`${kind} ${id}`} record={record} onClose={onClose} />
    </Dialog>
  );
}

function RecordView({ record, onClose }: { record: FoundRecord; onClose: () => void }) {
  const { kind, id } = record;
  const { data: attributes = record.attributes } = useRecord(record);
  const canChange = useMay(kind === 'users' ? 'upsertDatasetUsers' : 'upsertDatasetItems');
  const canDelete = useMay(kind === 'users' ? 'deleteDatasetUsers' : 'deleteDatasetItems');
  const [isEditing, setEditing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  if (isEditing) return <RecordEditor record={record} onDone={() => setEditing(false)} />;
  const names = Object.keys(attributes).toSorted();
  return (
    <>
      {kind === 'items' && <Picture id={id} attributes={attributes} />}
      <dl className="mb-4 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {names.map((name) => (
          <Entry key={name} name={name}>
            {formatValue(attributes[name])}
          </Entry>
        ))}
        {names.length === 0 && <p className="col-span-2 text-muted">No attributes.</p>}
      </dl>
      {kind === 'users' && <History userId={id} highlighted={undefined} onHover={() => undefined} />}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        {canDelete && (
          <Button look="danger" className="mr-auto" onClick={() => setDeleting(true)}>
            <Trash2 aria-hidden /> Delete
          </Button>
        )}
        {canChange && (
          <Button onClick={() => setEditing(true)}>
            <Pencil aria-hidden /> Edit
          </Button>
        )}
        <OpenInPlayground record={record} />
      </div>
      {isDeleting && (
        <DeleteRecord
          record={{ ...record, attributes }}
          onClose={() => setDeleting(false)}
          onDeleted={onClose}
        />
      )}
    </>
  );
}

function Picture({ id, attributes }: Pick<FoundRecord, 'id' | 'attributes'>) {
  const look = useItemLook();
  const title = titleOf(id, attributes, look);
  return <ItemPicture src={pictureOf(attributes, look)} title={title} className="mb-4 size-24" />;
}

interface DeleteRecordProps {
  readonly record: FoundRecord;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeleteRecord({ record, onClose, onDeleted }: DeleteRecordProps) {
  const remove = useDeleteRecord(record);
  const look = useItemLook();
  return (
    <ConfirmDialog
      title={`Delete ${record.kind === 'items' ? titleOf(record.id, record.attributes, look) : record.id}?`}
      action="Delete"
      change={remove}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      {record.kind === 'items'
        ? 'The item is no longer recommended, from the next call on. Its events stay, and models learn from them.'
        : 'The attributes of the user are deleted. The events stay: to remove all data of a person, erase the user under Operations.'}
    </ConfirmDialog>
  );
}

function OpenInPlayground({ record: { kind, id } }: { record: FoundRecord }) {
  return (
    <Link
      from={projectPath}
      to={`${projectPath}/playground`}
      search={kind === 'users' ? { user: id } : { items: [id] }}
      className={buttonClass('primary')}
    >
      <Play aria-hidden />{' '}
      {kind === 'users' ? 'Recommend to this user' : 'Recommend to a visitor who looked at it'}
    </Link>
  );
}
