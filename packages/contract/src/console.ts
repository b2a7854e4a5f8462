import Type from 'typebox';
import type { Role } from './endpoints.ts';
import { Closed } from './fields.ts';
import { limits } from './limits.ts';

/**
 * What the console calls to sign a person in. It is between the console and the server, which are released together, and not part
 * of the API. After that the console calls the operations of the API, with the session's cookie.
 */
export const consolePaths = {
  session: '/console/session',
  signIn: '/console/sign-in',
  signInOptions: '/console/sign-in-options',
  redeemLink: '/console/redeem-link',
  setPassword: '/console/set-password',
  signOut: '/console/sign-out',
  oidcStart: '/console/oidc/start',
  oidcCallback: '/console/oidc/callback',
} as const;

/** One `@`, no spaces, at most 254 characters. Whether it exists shows when the person signs in. */
export const emailPattern =
  '^(?=.{3,254}$)[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+@[^\\s@\\u0000-\\u001f\\u007f-\\u009f]+$';

export const SignIn = Closed({
  email: Type.String({ maxLength: 254 }),
  password: Type.String({ maxLength: limits.passwordLengthMax }),
});

export const RedeemLink = Closed({ token: Type.String({ maxLength: 100 }) });

export const SignOut = Closed({ everywhere: Type.Optional(Type.Boolean()) });

export const SetPassword = Closed({
  password: Type.String({ minLength: limits.passwordLengthMin, maxLength: limits.passwordLengthMax }),
  /** Not needed within 15 minutes after a sign-in by link, or if the person has no password yet. */
  current_password: Type.Optional(Type.String({ maxLength: limits.passwordLengthMax })),
});

/** The answer of every call that starts or reads a session. */
export interface ConsoleSession {
  readonly person: { readonly name: string; readonly email: string };
  /** At least one, each with the person's ID in it. */
  readonly accounts: readonly {
    readonly account_id: string;
    readonly name: string;
    readonly role: Role;
    readonly person_id: string;
  }[];
  /** To be sent as the header `Tastegraph-Csrf`. */
  readonly csrf_token: string;
  /** When the session ends if it is not used again, in milliseconds since the Unix epoch. */
  readonly expires_at: number;
}

export interface SignInOptions {
  readonly password: boolean;
  /** The provider's name for the button and the address it leads to, or null if there is none. */
  readonly oidc: { readonly name: string; readonly url: string } | null;
}

/** Why a sign-in with the provider failed. The sign-in screen gets it as `error` in its address. */
export type OidcErrorCode =
  | 'PROVIDER_UNAVAILABLE'
  | 'PROVIDER_REFUSED'
  | 'SIGN_IN_EXPIRED'
  | 'SIGN_IN_CANCELED'
  | 'EMAIL_NOT_VERIFIED'
  | 'NOT_INVITED'
  | 'TOO_MANY_ATTEMPTS';
