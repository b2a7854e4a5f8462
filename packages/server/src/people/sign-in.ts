import { ApiError, invalidField } from '../http/api-error.ts';
import type { Database, Transaction } from '../kernel/postgres/pool.ts';
import type { RateLimit } from '../kernel/redis/token-bucket.ts';
import { sessionEnded } from './authorize.ts';
import type { Device } from './device.ts';
import { hashPassword, withPassword } from './passwords.ts';
import { listPeople, listPeopleByEmail, lockPeople, type PersonRow, updatePasswords } from './rows/people.ts';
import { deleteLinksOf, deleteSessionsOf, listPeopleOfSession } from './rows/sessions.ts';
import { hashToken } from './session-tokens.ts';
import type { Session, Sessions } from './sessions.ts';

interface SignInLimits {
  /** Failures per pair of email and address. */
  readonly failuresOfPair: RateLimit;
  /** Failures per email, over all addresses. */
  readonly failuresOfEmail: RateLimit;
  /** Failures per address, over all emails. */
  readonly failuresOfAddress: RateLimit;
  /** Failures in a browser that the person has signed in with before, while one of the others is reached. */
  readonly failuresOfDevice: RateLimit;
}

export interface SignInContext {
  readonly db: Database;
  readonly sessions: Sessions;
  readonly signInLimits: SignInLimits;
}

/** Starts a session that opens every account in which the person with this email has this password, and returns its token. */
export async function signIn(
  context: SignInContext,
  { email, password, address, device }: SignIn,
): Promise<string> {
  const { db, sessions, signInLimits } = context;
  const known = normalizeEmail(email);
  const people = await listPeopleByEmail(db, known);
  let candidates = people.filter(({ person_id }) => device?.people.includes(person_id));
  let counters: readonly Counter[] = [{ limit: signInLimits.failuresOfDevice, key: device?.device ?? '' }];
  const shared = countersOf(signInLimits, known, address);
  // Somebody else's attempts must not lock out a person where they have signed in before.
  if (candidates.length === 0 || (await findReached(shared)) === undefined)
    [candidates, counters] = [people, shared];
  const found = await guardAttempts(counters, async () => {
    const proven = await withPassword(password, candidates);
    return proven.length > 0 ? proven : undefined;
  });
  const token = await db.transaction(async (tx) => {
    const people = await lockUnchanged(tx, found ?? []);
    return people.length > 0 ? sessions.start(tx, people.map(idOf), 'PASSWORD') : undefined;
  });
  // The same answer whether the email is unknown or the password wrong.
  if (token === undefined) throw new ApiError('UNAUTHENTICATED', 'The email or the password is wrong.');
  return token;
}

interface SignIn {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  readonly device: Device | undefined;
}

const idOf = ({ person_id }: PersonRow) => person_id;

/** Locks the people and leaves out those whose password was changed since it was read. */
async function lockUnchanged(tx: Transaction, people: readonly PersonRow[]): Promise<PersonRow[]> {
  const hashes = new Map(people.map((person) => [person.person_id, person.password_hash]));
  const locked = await lockPeople(tx, people.map(idOf));
  return locked.filter(({ person_id, password_hash }) => hashes.get(person_id) === password_hash);
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
  const reached = await findReached(counters);
  if (reached)
    throw new ApiError('TOO_MANY_REQUESTS', 'Too many failed attempts to sign in. Try again later.', reached);
  const found = await attempt();
  if (found === undefined) for (const { limit, key } of counters) await limit.take(key);
  return found;
}

/** The first limit that is reached. */
async function findReached(counters: readonly Counter[]): Promise<{ retryAfterSeconds: number } | undefined> {
  for (const { limit, key } of counters) {
    const taken = await limit.check(key);
    if (!taken.allowed) return taken;
  }
  return undefined;
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

/**
 * Sets the password of those people of the session who have none or this one, ends their sessions and links, and starts a new session for
 * them, whose token it returns. Identities stay: a password does not replace the identity provider.
 */
export async function setPassword(
  context: SignInContext,
  { token, people: [first, ...others] }: Session,
  { password, currentPassword, address }: PasswordChange,
): Promise<string> {
  const { db, sessions, signInLimits } = context;
  const people = await listPeople(
    db,
    [first, ...others].map(({ person_id }) => person_id),
  );
  const isFresh = first.started_by === 'LINK' && Date.now() - first.created_ms < freshMs;
  const open = people.filter(({ password_hash }) => isFresh || password_hash === null);
  const proven =
    open.length === people.length
      ? []
      : await guardAttempts(countersOf(signInLimits, first.email, address), async () => {
          const found = await withPassword(currentPassword ?? '', people);
          return found.length > 0 ? found : undefined;
        });
  if (!proven) throw invalidField('current_password', 'must be your current password');
  const hashes = await hashesOf(db, password, [...open, ...proven]);
  const started = await db.transaction(async (tx) => {
    const unchanged = await lockUnchanged(tx, [...open, ...proven]);
    const opened = new Set(await listPeopleOfSession(tx, hashToken(token)));
    const changed = unchanged.filter(({ person_id }) => opened.has(person_id));
    if (changed.length === 0) throw sessionEnded();
    const ids = changed.map(idOf);
    for (const { person_id, email } of changed)
      await updatePasswords(tx, [person_id], hashes.get(email) ?? null);
    await deleteLinksOf(tx, ids);
    await deleteSessionsOf(tx, ids);
    return sessions.start(tx, ids, 'PASSWORD');
  });
  sessions.forgetAll();
  return started;
}

/** By email. Everybody with an email has the same salt, so that a sign-in takes one hash, however many accounts have invited the email. */
async function hashesOf(db: Database, password: string, people: readonly PersonRow[]) {
  const hashes = new Map<string, string>();
  for (const email of new Set(people.map((person) => person.email))) {
    const known = (await listPeopleByEmail(db, email)).find(({ password_hash }) => password_hash !== null);
    hashes.set(email, await hashPassword(password, known?.password_hash ?? undefined));
  }
  return hashes;
}
