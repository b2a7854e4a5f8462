import { roles } from '@tastegraph/contract/endpoints';
import { UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { EmptyState, ErrorState, QueryView } from '../../components/states.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { formatAgo, formatTime } from '../../format.ts';
import { useAccess } from '../../session/access.tsx';
import { type Person, type Role, useChangeRole, usePeople, useRemovePerson } from '../../use/people.ts';
import { InviteDialog, type Invitee } from './invite-dialog.tsx';

/** Who may sign in, and what they may do. */
export function PeopleTab() {
  const people = usePeople();
  const changeRole = useChangeRole();
  const [invitee, setInvitee] = useState<Invitee>();
  const [leaving, setLeaving] = useState<Person>();
  const { account } = useAccess();
  const invite = (
    <Button look="primary" onClick={() => setInvitee({ email: '', name: '', role: 'EDITOR' })}>
      <UserPlus aria-hidden /> Invite
    </Button>
  );
  return (
    <Card title="People" hint={`who may use ${account.name}`} actions={people.data?.length !== 0 && invite}>
      {changeRole.error && <ErrorState error={changeRole.error} />}
      <QueryView query={people}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={<Users aria-hidden />} title="Nobody is in this account yet" action={invite}>
              Invite people by their email address. You get a one-time link to send to them.
            </EmptyState>
          ) : (
            <div className="relative overflow-x-auto">
              <table className="w-full min-w-160">
                <TableHead
                  columns={[
                    { title: 'Person' },
                    { title: 'Role' },
                    { title: 'Last active' },
                    { title: 'Actions', isHidden: true },
                  ]}
                />
                <tbody className="divide-y divide-line">
                  {list.map((person) => (
                    <PersonRow
                      key={person.person_id}
                      person={person}
                      onRole={(role) => changeRole.mutate({ person_id: person.person_id, role })}
                      isChanging={changeRole.isPending}
                      onLink={() => setInvitee(person)}
                      onRemove={() => setLeaving(person)}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </QueryView>
      <ShowMore query={people} />
      {invitee && <InviteDialog invitee={invitee} onClose={() => setInvitee(undefined)} />}
      {leaving && <RemoveDialog person={leaving} onClose={() => setLeaving(undefined)} />}
    </Card>
  );
}

function PersonRow(props: {
  person: Person;
  onRole: (role: Role) => void;
  isChanging: boolean;
  onLink: () => void;
  onRemove: () => void;
}) {
  const { person, onRole, isChanging, onLink, onRemove } = props;
  const { session } = useAccess();
  return (
    <tr>
      <td className="max-w-72 px-4 py-2">
        <span className="block truncate font-medium">
          {person.name}
          {person.person_id === session.person.person_id && <span className="text-muted"> (you)</span>}
        </span>
        <span className="block truncate text-sm text-muted">{person.email}</span>
      </td>
      <td className="px-2 py-2">
        <SelectField
          label={`Role of ${person.name}`}
          hideLabel
          className="w-32"
          value={person.role}
          disabled={isChanging}
          onChange={(event) => onRole(event.target.value as Role)}
        >
          {roles.map((role) => (
            <option key={role} value={role}>
              {role.toLowerCase()}
            </option>
          ))}
        </SelectField>
      </td>
      <td
        className="px-2 py-2 whitespace-nowrap"
        title={person.last_used_ts === null ? undefined : formatTime(person.last_used_ts)}
      >
        {person.last_used_ts === null ? (
          <span className="text-muted">not signed in</span>
        ) : (
          formatAgo(person.last_used_ts)
        )}
      </td>
      <td className="px-4 py-2">
        <div className="flex justify-end gap-2">
          <Button onClick={onLink} aria-label={`New link for ${person.name}`}>
            New link
          </Button>
          <Button look="danger" onClick={onRemove} aria-label={`Remove ${person.name}`}>
            Remove
          </Button>
        </div>
      </td>
    </tr>
  );
}

function RemoveDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const remove = useRemovePerson();
  return (
    <ConfirmDialog
      title={`Remove ${person.name}?`}
      action="Remove"
      change={remove}
      onConfirm={() => remove.mutate(person.person_id, { onSuccess: onClose })}
      onClose={onClose}
    >
      {person.email} loses access to this account within two seconds. What they changed stays, and so does its
      entry in the audit log.
    </ConfirmDialog>
  );
}
