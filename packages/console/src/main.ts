import './styles.css';
import { screenAt } from './screens/screens.ts';
import { askForSession } from './session/first-session.ts';

// The session, the console and the screen load at the same time. The browser cannot see the last two in the page.
// Signing in starts a session: there, an answer from before would be wrong.
if (location.pathname !== '/sign-in') askForSession();
void import('./app.tsx');
// The router asks for it again, and shows what went wrong.
screenAt(location.pathname)?.().catch(() => undefined);
