import { Navigate, useRouteContext } from '@tanstack/react-router';

/** The first account; the menu of the person has the others. */
export function HomeScreen() {
  const { session } = useRouteContext({ from: '/signed-in' });
  const [first] = session.accounts;
  return first && <Navigate to="/accounts/$accountId" params={{ accountId: first.account_id }} replace />;
}
