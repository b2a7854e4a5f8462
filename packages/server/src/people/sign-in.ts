import { ApiError, invalidField } from '../http/api-error.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import type { RateLimit, TakeResult } from '../kernel/redis/token-bucket.ts';
import { sessionEnded } from './authorize.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { findPerson, findPersonByEmail, updatePassword } from './rows/people.ts';
import { deleteLinkOf, deleteSessionsOf } from './rows/sessions.ts';
import type { Session, Sessions } from './sessions.ts';

interface SignInLimits {
  /** Failures per pair of email and address. */
  readonly failuresOfPair: RateLimit;
  /** Failures per email, over all addresses. */
  readonly failuresOfEmail: RateLimit;
  /** Failures per address, over all emails. */
  readonly failuresOfAddress: RateLimit;
}

export interface SignInContext {
  readonly db: Database;
  readonly sessions: Sessions;
  readonly signInLimits: SignInLimits;
}

/** Starts a session and returns its token. */
export async function signIn(
  context: SignInContext,
  { email, password, address }: { email: string; password: string; address: string },
): Promise<string> {
  const known = normalizeEmail(email);
  const found = await guardAttempts(countersOf(context.signInLimits, known, address), async () => {
    const person = await findPersonByEmail(context.db, known);
    return (await isPassword(password, person?.password_hash ?? null)) ? person : undefined;
  });
  // The same answer whether the email is unknown or the password wrong.
  if (!found) throw new ApiError('UNAUTHENTICATED', 'The email or the password is wrong.');
  return context.sessions.start(context.db, found.person_id, 'PASSWORD');
}

interface Counter {
  readonly limit: RateLimit;
  readonly key: string;
}

/** What counts a wrong password for this email from this address. */
function countersOf(limits: SignInLimits, email: string, address: string): readonly Counter[] {
  return [
    { limit: limits.failuresOfPair, key: `${email} ${address}` },
    { limit: limits.failuresOfEmail, key: email },
    { limit: limits.failuresOfAddress, key: address },
  ];
}

/** Counts attempts that find nothing. Unlike API secrets, passwords can be guessed: at a limit, not even a right one is tried. */
export async function guardAttempts<T>(
  counters: readonly Counter[],
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const { limit, key } of counters) refuse(await limit.check(key));
  const found = await attempt();
  if (found === undefined) for (const { limit, key } of counters) await limit.take(key);
  return found;
}

function refuse(taken: TakeResult): void {
  if (taken.allowed) return;
  throw new ApiError('TOO_MANY_REQUESTS', 'Too many failed attempts to sign in. Try again later.', {
    retryAfterSeconds: taken.retryAfterSeconds,
  });
}

export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** How long after a sign-in by link the current password is not asked for: the person may have forgotten it. */
const freshMs = 15 * 60_000;

interface PasswordChange {
  readonly password: string;
  readonly currentPassword: string | undefined;
  readonly address: string;
}

/** Ends all sessions of the person and starts a new one, whose token it returns. */
export async function setPassword(
  context: SignInContext,
  session: Session,
  { password, currentPassword, address }: PasswordChange,
): Promise<string> {
  const { db, sessions, signInLimits } = context;
  const person = await findPerson(db, session.person_id);
  if (!person) throw sessionEnded();
  const isFresh = session.started_by === 'LINK' && Date.now() - session.created_ms < freshMs;
  if (person.password_hash !== null && !isFresh) {
    const isRight = await guardAttempts(countersOf(signInLimits, person.email, address), async () =>
      (await isPassword(currentPassword ?? '', person.password_hash)) ? true : undefined,
    );
    if (!isRight) throw invalidField('current_password', 'must be your current password');
  }
  const hash = await hashPassword(password);
  const token = await db.transaction(async (tx) => {
    await updatePassword(tx, person.person_id, hash);
    await deleteLinkOf(tx, person.person_id);
    await deleteSessionsOf(tx, person.person_id);
    return sessions.start(tx, person.person_id, 'PASSWORD');
  });
  sessions.forgetAll();
  return token;
}
