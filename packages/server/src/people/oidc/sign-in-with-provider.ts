import type { OidcErrorCode } from '@tastegraph/contract';
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { ApiError } from '../../http/api-error.ts';
import { endCredentials } from '../credentials.ts';
import { insertIdentities, listIdentities, listPeopleOfIdentity } from '../rows/identities.ts';
import { lockPeople } from '../rows/people.ts';
import { guardAttempts, normalizeEmail, type SignInContext } from '../sign-in.ts';
import type { Challenge, OidcProvider, ProvenIdentity } from './provider.ts';

/** A failed sign-in, for the sign-in screen. The cause is for the log. */
export class OidcError extends Error {
  override readonly name = 'OidcError';
  readonly code: OidcErrorCode;

  constructor(code: OidcErrorCode, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Starts a session for the person whom the provider's answer proves, and returns its token. */
export async function signInWithProvider(
  context: SignInContext,
  provider: OidcProvider,
  { query, challenge, address }: { query: string; challenge: Challenge; address: string },
): Promise<string> {
  let refused: OidcError | undefined;
  const prove = async () =>
    provider.prove(query, challenge).catch((error: unknown) => {
      refused = toOidcError(error);
      // Not the fault of the browser, so it does not count.
      if (refused.code === 'PROVIDER_UNAVAILABLE') throw refused;
      return undefined;
    });
  const counters = [{ limit: context.signInLimits.failuresOfAddress, key: address }];
  const identity = await guardAttempts(counters, prove).catch((error: unknown) => {
    throw error instanceof ApiError ? new OidcError('TOO_MANY_ATTEMPTS', error) : error;
  });
  if (!identity) throw refused ?? new OidcError('PROVIDER_REFUSED');
  return startProvenSession(context, identity);
}

/**
 * Opens every account that has invited the verified email, or is connected with the identity. From the first sign-in on, the provider's
 * issuer and subject are the person: an email can be given to somebody else, a subject cannot.
 */
export async function startProvenSession(
  { db, sessions }: Pick<SignInContext, 'db' | 'sessions'>,
  { issuer, subject, verifiedEmail }: ProvenIdentity,
): Promise<string> {
  const email =
    verifiedEmail !== undefined && hasOneLowerCase(verifiedEmail) ? normalizeEmail(verifiedEmail) : undefined;
  return db.transaction(async (tx) => {
    const people = await lockPeople(tx, await listPeopleOfIdentity(tx, issuer, subject, email));
    const identities = await listIdentities(tx, people.map(idOf));
    const connected = new Map(identities.map((identity) => [identity.person_id, identity]));
    // An identity may have ended before the people were locked. Then the email decides.
    const invited = people.filter((each) => each.email === email && !connected.has(each.person_id));
    // Whoever invited the email may have opened the link and chosen a password.
    await endCredentials(tx, invited.map(idOf));
    await insertIdentities(tx, issuer, subject, invited.map(idOf));
    const known = identities.filter((each) => each.issuer === issuer && each.subject === subject);
    const proven = [...known, ...invited].map(idOf);
    if (proven.length > 0) return sessions.start(tx, proven, 'OIDC');
    throw new OidcError(verifiedEmail === undefined ? 'EMAIL_NOT_VERIFIED' : 'NOT_INVITED');
  });
}

const idOf = ({ person_id }: { readonly person_id: string }) => person_id;

/** Some letters outside ASCII become ASCII in lower case: the Kelvin sign becomes "k", and the address that of somebody else. */
function hasOneLowerCase(email: string): boolean {
  const lower = email.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return lower === normalizeEmail(email);
}

/** Whether the provider could not be asked, or said no, or said something that cannot be trusted. */
export function toOidcError(error: unknown): OidcError {
  if (error instanceof OidcError) return error;
  if (error instanceof AuthorizationResponseError)
    return new OidcError(error.error === 'access_denied' ? 'SIGN_IN_CANCELED' : 'PROVIDER_REFUSED', error);
  return new OidcError(isOutage(error) ? 'PROVIDER_UNAVAILABLE' : 'PROVIDER_REFUSED', error);
}

function isOutage(error: unknown): boolean {
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError)
    return error.status >= 500;
  // What `fetch` throws, and our own limits.
  if (!(error instanceof ClientError)) return true;
  const { code, cause } = error;
  if (cause instanceof Response) return cause.status >= 500;
  return code === undefined || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT';
}
