import { roles } from '@tastegraph/contract/endpoints';
import { UserPlus, Users } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog, DoneButton, useDialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { timeColumn } from '../../components/table.tsx';
import { useAccess } from '../../session/access.tsx';
import { nameOfKey } from '../../use/keys.ts';
import { type Person, useChangeRole, usePeople, useRemovePerson } from '../../use/people.ts';
import { InviteDialog, type Invitee } from './invite-dialog.tsx';
import { ResourceCard } from './resource-card.tsx';

const nobody: Invitee = { email: '', name: '', role: 'EDITOR' };

/** Who may sign in, and what they may do. */
export function PeopleTab() {
  const people = usePeople();
  const changeRole = useChangeRole();
  const { dialog, show } = useDialog();
  const { account } = useAccess();
  const invite = (invitee: Invitee) => show((close) => <InviteDialog invitee={invitee} onClose={close} />);
  return (
    <ResourceCard
      title="People"
      hint={`who may use ${account.name}`}
      query={people}
      error={changeRole.error}
      create={
        <Button look="primary" onClick={() => invite(nobody)}>
          <UserPlus aria-hidden /> Invite
        </Button>
      }
      empty={{
        icon: Users,
        title: 'Nobody is in this account yet',
        text: 'Invite people by their email address. You get a one-time link to send to them.',
      }}
      keyOf={({ person_id }) => person_id}
      className="min-w-160"
      columns={[
        {
          title: 'Person',
          className: 'max-w-72',
          cell: ({ person_id, name, email }) => (
            <>
              <span className="block truncate font-medium">
                {name}
                {person_id === account.person_id && <span className="text-muted"> (you)</span>}
              </span>
              <span className="block truncate text-sm text-muted">{email}</span>
            </>
          ),
        },
        {
          title: 'Role',
          cell: ({ person_id, name, role }) => (
            <SelectField
              label={`Role of ${name}`}
              hideLabel
              className="w-32"
              value={role}
              disabled={changeRole.isPending}
              choices={roles.map((one) => [one, one.toLowerCase()] as const)}
              onChange={(chosen) => changeRole.mutate({ person_id, role: chosen })}
            />
          ),
        },
        timeColumn('Last active', 'last_used_ts', 'not signed in'),
        {
          title: 'Actions',
          isHidden: true,
          cell: (person) => (
            <div className="flex justify-end gap-2">
              <Button onClick={() => invite(person)} aria-label={`New link for ${person.name}`}>
                New link
              </Button>
              <Button
                look="danger"
                onClick={() => show((close) => <RemoveDialog person={person} onClose={close} />)}
                aria-label={`Remove ${person.name}`}
              >
                Remove
              </Button>
            </div>
          ),
        },
      ]}
    >
      <ShowMore query={people} />
      {dialog}
    </ResourceCard>
  );
}

function RemoveDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const remove = useRemovePerson();
  const left = remove.data?.api_keys ?? [];
  if (left.length > 0)
    return (
      <Dialog title={`${person.name} was removed`} onClose={onClose}>
        <p>API keys that {person.name} created still work. Revoke those that they should no longer have:</p>
        <ul className="my-4 list-disc pl-5">
          {left.map((key) => (
            <li key={key.api_key}>
              {nameOfKey(key)} <span className="font-mono text-xs text-muted">{key.api_key}</span>
            </li>
          ))}
        </ul>
        <DoneButton onClose={onClose} />
      </Dialog>
    );
  return (
    <ConfirmDialog
      title={`Remove ${person.name}?`}
      action="Remove"
      change={remove}
      onConfirm={() =>
        remove.mutate(person.person_id, { onSuccess: ({ api_keys }) => api_keys.length === 0 && onClose() })
      }
      onClose={onClose}
    >
      {person.email} loses access to this account within two seconds. What they changed stays, and so does its
      entry in the audit log.
    </ConfirmDialog>
  );
}
