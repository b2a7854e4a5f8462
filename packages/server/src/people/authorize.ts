import { endpoints, type OperationName, roleIncludes } from '@tastegraph/contract';
import { leastRoleOf } from '../accounts/operations.ts';
import { ApiError } from '../http/api-error.ts';
import type { Identity } from '../http/identity.ts';
import type { SessionRow } from './rows/sessions.ts';
import type { Session, Sessions } from './sessions.ts';

/** What a call with a session's cookie sends. */
export interface SessionCall {
  readonly token: string;
  readonly csrfToken: string | undefined;
  readonly accountId: string | undefined;
}

export function sessionEnded(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'You are not signed in, or your session has ended. Sign in again.');
}

/** Identifies the person and checks that their role in the account allows the operation. */
export async function authorizeSession(
  sessions: Sessions,
  { token, csrfToken, accountId }: SessionCall,
  operation: OperationName,
): Promise<Identity> {
  const session = await sessions.find(token);
  if (!session) throw sessionEnded();
  if (!sessions.tokens.isCsrfToken(token, csrfToken))
    throw new ApiError(
      'CSRF_REJECTED',
      'Tastegraph-Csrf is missing or is not the csrf_token of this session. Get it from /console/session.',
    );
  const { person_id: personId, email, role, account_id } = personIn(session, accountId);
  const [, path, least] = endpoints[operation];
  if (!roleIncludes(role, least))
    throw new ApiError(
      'ROLE_MISSING',
      `${path} needs the role ${least}. Your role in this account is ${role}. Ask an owner of the account to change it.`,
    );
  return {
    accountId: account_id,
    callerId: personId,
    person: { personId, email },
    mayCall: (path) => roleIncludes(role, leastRoleOf(path)),
  };
}

/** The answer is the same for an account of others and for one that does not exist. */
function personIn({ people }: Session, accountId: string | undefined): SessionRow {
  if (accountId === undefined)
    throw new ApiError('ROLE_MISSING', 'Tastegraph-Account is missing. Send the ID of one of your accounts.');
  const found = people.find((person) => person.account_id === accountId);
  if (found) return found;
  throw new ApiError(
    'ROLE_MISSING',
    'You have no role in the account of Tastegraph-Account. /console/session lists your accounts.',
  );
}
