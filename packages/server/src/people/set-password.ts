import { ApiError } from '../http/api-error.ts';
import { sessionEnded } from './authorize.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { findPerson, updatePassword } from './rows/people.ts';
import { deleteLinkOf, deleteSessionsOf } from './rows/sessions.ts';
import type { Session } from './sessions.ts';
import { countersOf, guardAttempts, type SignInContext } from './sign-in.ts';

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
    if (!isRight) throw wrongPassword();
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

function wrongPassword(): ApiError {
  const message = 'must be your current password';
  return new ApiError('INVALID_REQUEST', `current_password ${message}.`, {
    errors: [{ path: 'current_password', message }],
  });
}
