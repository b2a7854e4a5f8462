import type { OidcErrorCode } from '@tastegraph/contract';

/** What to do, for each reason why a sign-in with the identity provider failed. */
const texts: Readonly<Record<OidcErrorCode, (provider: string) => string>> = {
  PROVIDER_UNAVAILABLE: (provider) =>
    `Tastegraph cannot reach ${provider}. Try again in a minute, or sign in with a password or a one-time link.`,
  PROVIDER_REFUSED: (provider) =>
    `The sign-in with ${provider} failed. Try again. If it fails again, ask your operator to check the settings OIDC_…; the server's log has the reason.`,
  SIGN_IN_EXPIRED: (provider) =>
    `This sign-in is over: it took longer than ten minutes, or was started in another tab or browser. Continue with ${provider} again.`,
  SIGN_IN_CANCELED: (provider) => `You canceled the sign-in with ${provider}, or it denied access.`,
  EMAIL_NOT_VERIFIED: (provider) =>
    `${provider} has not verified your email address. Verify it there, then continue again. The one-time link of your invitation works too.`,
  NOT_INVITED: (provider) =>
    `Nobody has invited your email address at ${provider}. Ask an owner of the account for an invitation, or sign out at ${provider} and use another account there.`,
  TOO_MANY_ATTEMPTS: () => 'Too many failed attempts to sign in. Try again in ten minutes.',
};

/** Undefined without an error. The code is from the address: an unknown one gets a text that is always right. */
export function describeOidcError(code: string | undefined, provider = 'your provider'): string | undefined {
  if (code === undefined) return undefined;
  return Object.hasOwn(texts, code)
    ? texts[code as OidcErrorCode](provider)
    : 'The sign-in failed. Try again.';
}
