import { endpoints, type OperationName, roleIncludes } from '@tastegraph/contract/endpoints';
import type { Tastegraph } from '@tastegraph/sdk';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { clientOf } from './client.ts';
import type { AccountAccess, Session } from './session.ts';

interface Access {
  readonly session: Session;
  readonly account: AccountAccess;
  readonly client: Tastegraph;
}

const AccessContext = createContext<Access | undefined>(undefined);

/** Gives what is below the client of one account. */
export function AccessProvider(props: { session: Session; account: AccountAccess; children: ReactNode }) {
  const { session, account, children } = props;
  const access = useMemo(
    () => ({ session, account, client: clientOf(session, account.account_id) }),
    [session, account],
  );
  return <AccessContext value={access}>{children}</AccessContext>;
}

export function useAccess(): Access {
  const access = useContext(AccessContext);
  if (!access) throw new Error('This component needs an AccessProvider above it.');
  return access;
}

/** Hides what the server would refuse. The server decides. */
export function useMay(operation: OperationName): boolean {
  return roleIncludes(useAccess().account.role, endpoints[operation][2]);
}
