import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useLocation, useParams, useRouteContext } from '@tanstack/react-router';
import { AccessProvider } from '../session/access.tsx';
import { sessionQuery } from '../session/session.ts';
import { NotFound } from './not-found.tsx';

export function AccountLayout() {
  const { accountId } = useParams({ from: '/signed-in/accounts/$accountId' });
  const { session: first } = useRouteContext({ from: '/signed-in' });
  const { href } = useLocation();
  const { data: session = first } = useQuery(sessionQuery);
  // It ended while the page was open.
  if (!session) return <Navigate to="/sign-in" search={{ next: href }} />;
  const account = session.accounts.find((one) => one.account_id === accountId);
  if (!account) return <NotFound />;
  return (
    <AccessProvider session={session} account={account}>
      <Outlet />
    </AccessProvider>
  );
}
