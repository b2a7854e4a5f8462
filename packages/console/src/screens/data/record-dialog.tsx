import { Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { buttonClass } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { type Attributes, formatValue, titleOf } from '../../items/describe-item.ts';
import { useItemLook } from '../../items/use-items.ts';
import { useProject } from '../../projects/project-context.ts';
import { useAccess } from '../../session/access.tsx';
import { History } from '../playground/history.tsx';

export interface FoundRecord {
  readonly kind: 'users' | 'items';
  readonly id: string;
  readonly attributes: Attributes;
}

/** A user or an item in full; a user with the newest events. */
export function RecordDialog({ record, onClose }: { record: FoundRecord | undefined; onClose: () => void }) {
  const look = useItemLook();
  if (!record) return null;
  const { kind, id, attributes } = record;
  const names = Object.keys(attributes).toSorted();
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={kind === 'items' ? titleOf(id, attributes, look) : id}
      description={kind === 'items' ? `Item ${id}` : `User ${id}`}
      wide={kind === 'users'}
    >
      <dl className="mb-4 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {names.map((name) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{formatValue(attributes[name])}</dd>
          </div>
        ))}
        {names.length === 0 && <p className="col-span-2 text-muted">No attributes.</p>}
      </dl>
      {kind === 'users' && <History userId={id} highlighted={undefined} onHover={() => undefined} />}
      <div className="mt-4 flex justify-end">
        <OpenInPlayground record={record} />
      </div>
    </Dialog>
  );
}

function OpenInPlayground({ record: { kind, id } }: { record: FoundRecord }) {
  const { account } = useAccess();
  const { project_id } = useProject();
  return (
    <Link
      to="/accounts/$accountId/projects/$projectId/playground"
      params={{ accountId: account.account_id, projectId: project_id }}
      search={kind === 'users' ? { user: id } : { items: [id] }}
      className={buttonClass('primary')}
    >
      <Play aria-hidden />{' '}
      {kind === 'users' ? 'Recommend to this user' : 'Recommend to a visitor of this item'}
    </Link>
  );
}
