import { ApiError } from '../http/api-error.ts';
import type { Database } from '../kernel/postgres/pool.ts';
import type { RateLimit, TakeResult } from '../kernel/redis/token-bucket.ts';
import { isPassword } from './passwords.ts';
import { findPersonByEmail } from './rows/people.ts';
import type { Sessions } from './sessions.ts';

export interface SignInLimits {
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
export function countersOf(limits: SignInLimits, email: string, address: string): readonly Counter[] {
  return [
    { limit: limits.failuresOfPair, key: `${email} ${address}` },
    { limit: limits.failuresOfEmail, key: email },
    { limit: limits.failuresOfAddress, key: address },
  ];
}

/**
 * Runs an attempt, and counts it if it finds nothing. Unlike secrets of API keys, passwords can be guessed, so no attempt is made
 * while a limit is reached: not even a right one.
 */
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
