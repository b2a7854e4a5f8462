import { roles } from '@tastegraph/contract/endpoints';
import { useState } from 'react';
import { Dialog, DoneButton } from '../../components/dialog.tsx';
import { Field, NameField, SelectField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { formatTime } from '../../format.ts';
import { type Person, type Role, useInvite } from '../../use/people.ts';

export type Invitee = Pick<Person, 'email' | 'name' | 'role'>;

/** What each role adds to the one before. */
const meanings: Readonly<Record<Role, string>> = {
  VIEWER: 'reads, and tries recommendations',
  EDITOR: 'also changes data, projects and scenarios',
  OPERATOR: 'also runs jobs, deletes, and manages API keys',
  OWNER: 'also manages people',
};

/** For a new person, or with a new link for one who is invited already. */
export function InviteDialog({ invitee, onClose }: { invitee: Invitee; onClose: () => void }) {
  const [person, setPerson] = useState<Invitee>({
    email: invitee.email,
    name: invitee.name,
    role: invitee.role,
  });
  const invite = useInvite();
  const isKnown = invitee.email !== '';
  const invited = invite.data;
  return (
    <Dialog
      onClose={onClose}
      title={isKnown ? `New link for ${invitee.name}` : 'Invite a person'}
      description={
        isKnown
          ? 'It replaces their password and ends their sessions, for example if the password is forgotten.'
          : 'They get a role in this account, and a one-time link to sign in.'
      }
    >
      {invited ? (
        <div className="space-y-4">
          <ShownOnce label={`Link for ${invited.email}`} text={invited.link} />
          <p className="text-muted">
            It works once, until {formatTime(invited.link_expires_ts)}, and is shown only now. Whoever opens
            it is signed in, so send it as you would send a password.
          </p>
          <DoneButton onClose={onClose} />
        </div>
      ) : (
        <Form
          action={isKnown ? 'Create the link' : 'Invite'}
          change={invite}
          isErrorFirst
          onSubmit={() => invite.mutate(person)}
        >
          {!isKnown && (
            <>
              <Field
                label="Email"
                type="email"
                autoComplete="off"
                required
                value={person.email}
                onChange={(email) => setPerson({ ...person, email })}
              />
              <NameField
                autoComplete="off"
                required
                value={person.name}
                onChange={(name) => setPerson({ ...person, name })}
              />
            </>
          )}
          <SelectField
            label="Role"
            value={person.role}
            choices={roles.map((role) => [role, `${role.toLowerCase()}: ${meanings[role]}`] as const)}
            onChange={(role) => setPerson({ ...person, role })}
          />
        </Form>
      )}
    </Dialog>
  );
}
