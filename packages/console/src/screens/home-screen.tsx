import { Navigate, useRouteContext } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { EmptyState } from '../components/states.tsx';

/** The first account; the menu of the person has the others. */
export function HomeScreen() {
  const { session } = useRouteContext({ from: '/signed-in' });
  const [first] = session.accounts;
  if (first) return <Navigate to="/accounts/$accountId" params={{ accountId: first.account_id }} replace />;
  return (
    <main className="mx-auto max-w-lg pt-24">
      <EmptyState icon={Building2} title="You are in no account yet">
        Ask an owner of an account to invite {session.person.email}.
      </EmptyState>
    </main>
  );
}
