import { randomBytes } from 'node:crypto';
import { ApiError } from '../http/api-error.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import { claimLink, upsertLink } from './rows/sessions.ts';
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

/** Starts a session and returns its token. Of concurrent calls with the same link, one succeeds. */
export async function redeemLink(
  context: SignInContext,
  { token, address }: { token: string; address: string },
): Promise<string> {
  const { db, sessions, signInLimits } = context;
  const started = await guardAttempts([{ limit: signInLimits.failuresOfAddress, key: address }], () =>
    db.transaction(async (tx) => {
      const claimed = await claimLink(tx, hashToken(token));
      if (!claimed || claimed.expires_ms <= Date.now()) return undefined;
      return sessions.start(tx, claimed.person_id, 'LINK');
    }),
  );
  if (started === undefined)
    throw new ApiError(
      'UNAUTHENTICATED',
      'The link is not valid: it was used, replaced by a newer one, or has expired. Ask an owner of the account for a new one.',
    );
  return started;
}
