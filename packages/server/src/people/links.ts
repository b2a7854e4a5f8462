import { randomBytes } from 'node:crypto';
import { ApiError } from '../http/api-error.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { endCredentials } from './credentials.ts';
import { lockPeople } from './rows/people.ts';
import { claimLink, findPersonOfLink, upsertLink } from './rows/sessions.ts';
import { hashToken } from './session-tokens.ts';
import { guardAttempts, type SignInContext } from './sign-in.ts';

/** Time to open a mail on the next day. */
const linkMs = 24 * 3600 * 1000;

/** A link works once and replaces earlier ones. Its token is in the fragment, which browsers send to no server, so it is in no log. */
export async function createLink(db: Queryable, baseUrl: string, personId: string) {
  const token = randomBytes(32).toString('base64url');
  const link_expires_ts = Date.now() + linkMs;
  await upsertLink(db, personId, hashToken(token), link_expires_ts);
  return { link: `${baseUrl}/sign-in#token=${token}`, link_expires_ts };
}

/** Ends all that opened the console for the person before, starts a session and returns its token. */
export async function redeemLink(
  context: SignInContext,
  { token, address }: { token: string; address: string },
): Promise<string> {
  const { db, sessions, signInLimits } = context;
  const started = await guardAttempts([{ limit: signInLimits.failuresOfAddress, key: address }], () =>
    db.transaction(async (tx) => {
      const personId = await findPersonOfLink(tx, hashToken(token));
      if (personId === undefined) return undefined;
      await lockPeople(tx, [personId]);
      if (!(await claimLink(tx, hashToken(token)))) return undefined;
      await endCredentials(tx, [personId]);
      return sessions.start(tx, [personId], 'LINK');
    }),
  );
  sessions.forgetAll();
  if (started === undefined)
    throw new ApiError(
      'UNAUTHENTICATED',
      'The link is not valid: it was used, replaced by a newer one, or has expired. Ask an owner of the account for a new one.',
    );
  return started;
}
