import './styles.css';
import { screenAt } from './screens/screens.ts';
import { callEarly } from './session/early-calls.ts';
import { askForSession } from './session/first-session.ts';

// The session, the project, the console and the screen load at the same time. The browser cannot see the last two in the page.
// Signing in starts a session: there, an answer from before would be wrong.
if (location.pathname !== '/sign-in') void askForSession().then(askForProject, () => undefined);
void import('./app.tsx');
// The router asks for it again, and shows what went wrong.
screenAt(location.pathname)?.().catch(() => undefined);

/** What every screen of a project shows first. */
function askForProject(session: Awaited<ReturnType<typeof askForSession>>): void {
  const [, accountId, projectId] = /^\/accounts\/([^/]+)\/projects\/([^/]+)/.exec(location.pathname) ?? [];
  if (accountId === undefined || projectId === undefined) return;
  if (session?.accounts.some(({ account_id }) => account_id === accountId))
    callEarly(session, accountId, [`/get-project?project_id=${projectId}`, '/list-projects?page_size=200']);
}
