import { queryOptions } from '@tanstack/react-query';
import type { ConsoleSession, SignInOptions } from '@tastegraph/contract';
import { postJson, readJson } from './call.ts';
import { takeFirstSession } from './first-session.ts';

/** Who is signed in. The cookie itself is out of reach of scripts; only the CSRF token is known here, in memory. */
export type Session = ConsoleSession;
export type AccountAccess = Session['accounts'][number];

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => takeFirstSession() ?? readJson<Session>('/console/session', signal),
  staleTime: 60_000,
});

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: ({ signal }) => readJson<SignInOptions>('/console/sign-in-options', signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export const signIn = (email: string, password: string) => postJson('/console/sign-in', { email, password });
export const redeemLink = (token: string) => postJson('/console/redeem-link', { token });
export const setPassword = (password: string, current_password: string | undefined) =>
  postJson('/console/set-password', { password, current_password });
export const signOut = () => postJson('/console/sign-out', {});
