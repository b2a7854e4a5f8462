import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Building2, Check, KeyRound, LogOut } from 'lucide-react';
import { useState } from 'react';
import { Menu, MenuContent, MenuItem, MenuLabel, MenuLine, MenuTrigger } from '../components/menu.tsx';
import { useAccess } from '../session/access.tsx';
import { signOut } from '../session/session.ts';
import { PasswordDialog } from './password-dialog.tsx';

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join('');

/** Who is signed in, the accounts to switch between, and the way out. */
export function PersonMenu() {
  const { session, account } = useAccess();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isChanging, setChanging] = useState(false);
  const leave = async () => {
    await signOut();
    queryClient.clear();
    await navigate({ to: '/sign-in' });
  };
  const { person, accounts } = session;
  return (
    <>
      <Menu modal={false}>
        <MenuTrigger className="flex size-8 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-text">
          <span className="sr-only">Signed in as {person.name}</span>
          <span aria-hidden>{initialsOf(person.name || person.email)}</span>
        </MenuTrigger>
        <MenuContent>
          <div className="px-2 py-1.5">
            <p className="font-medium">{person.name}</p>
            <p className="text-sm text-muted">{person.email}</p>
          </div>
          <MenuLine />
          <MenuLabel>Accounts</MenuLabel>
          {accounts.map((one) => (
            <MenuItem
              key={one.account_id}
              onSelect={() =>
                void navigate({ to: '/accounts/$accountId', params: { accountId: one.account_id } })
              }
            >
              <Building2 aria-hidden />
              <span className="min-w-0 flex-1 truncate">{one.name}</span>
              <span className="text-xs text-muted">{one.role.toLowerCase()}</span>
              {one.account_id === account.account_id && <Check aria-label="current" />}
            </MenuItem>
          ))}
          <MenuLine />
          <MenuItem onSelect={() => setChanging(true)}>
            <KeyRound aria-hidden /> Set a password
          </MenuItem>
          <MenuItem onSelect={() => void leave()}>
            <LogOut aria-hidden /> Sign out
          </MenuItem>
        </MenuContent>
      </Menu>
      <PasswordDialog open={isChanging} onClose={() => setChanging(false)} />
    </>
  );
}
