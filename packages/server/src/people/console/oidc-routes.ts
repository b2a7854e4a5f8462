import { consolePaths } from '@tastegraph/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client';
import type { Challenge, OidcProvider } from '../oidc/provider.ts';
import { OidcError, signInWithProvider, toOidcError } from '../oidc/sign-in-with-provider.ts';
import type { SignInContext } from '../sign-in.ts';
import { type Cookie, createSignInCookie } from './cookie.ts';

export interface OidcParts {
  /** For the button on the sign-in screen. */
  readonly name: string;
  readonly provider: OidcProvider;
}

/** A sign-in that is under way, as the browser keeps it. */
interface Pending extends Challenge {
  readonly next: string;
  readonly expiresMs: number;
}

/** Time to find the phone for a second factor. */
const pendingMs = 10 * 60_000;
const purpose = 'oidc sign-in';
const maxNextLength = 1000;

/** Signing in with the identity provider: the authorization code flow with PKCE. Both routes are navigations, not calls. */
export function serveOidc(
  scope: FastifyInstance,
  { provider }: OidcParts,
  context: SignInContext,
  { baseUrl, sessionCookie }: { baseUrl: string; sessionCookie: Cookie },
): void {
  const { tokens } = context.sessions;
  const pendingCookie = createSignInCookie(baseUrl);
  const readPending = (request: FastifyRequest): Pending | undefined => {
    const text = tokens.verify(purpose, pendingCookie.read(request.headers.cookie) ?? '');
    const pending = text === undefined ? undefined : (JSON.parse(text) as Pending);
    return pending && Date.now() < pending.expiresMs ? pending : undefined;
  };
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: OidcError, next: string) => {
    const { code, cause } = error;
    // The operator can do something about the provider, the person about the rest.
    const level = code.startsWith('PROVIDER_') ? 'warn' : 'info';
    request.log[level]({ err: cause, code }, 'a sign-in with the identity provider failed');
    const search = new URLSearchParams({ error: code, ...(next === '/' ? {} : { next }) });
    return reply.redirect(`${baseUrl}/sign-in?${search.toString()}`, 303);
  };

  scope.get(consolePaths.oidcStart, async (request, reply) => {
    const next = localPath((request.query as { next?: unknown }).next, baseUrl);
    const challenge = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    let url: string;
    try {
      url = await provider.authorizationUrl(challenge);
    } catch (error) {
      return refuse(request, reply, toOidcError(error), next);
    }
    // The browser does not send the session's cookie with the navigation back, so a session that is left ends here.
    // Only for a click in our own page: a neighbouring origin must not be able to sign people out.
    const before = sessionCookie.read(request.headers.cookie);
    const isOwnPage = request.headers['sec-fetch-site'] === 'same-origin';
    if (before !== undefined && isOwnPage) await context.sessions.end(before);
    const pending: Pending = { ...challenge, next, expiresMs: Date.now() + pendingMs };
    return reply
      .header('Set-Cookie', pendingCookie.write(tokens.sign(purpose, JSON.stringify(pending))))
      .redirect(url, 303);
  });

  scope.get(consolePaths.oidcCallback, async (request, reply) => {
    const pending = readPending(request);
    const { state } = request.query as { state?: unknown };
    // Somebody else's answer, an old one, or one for another tab: nothing is asked of the provider.
    if (!pending || state !== pending.state)
      return refuse(request, reply, new OidcError('SIGN_IN_EXPIRED'), pending?.next ?? '/');
    // Used up, whatever comes of it.
    void reply.header('Set-Cookie', pendingCookie.write(undefined));
    const query = request.url.slice(request.url.indexOf('?'));
    let token: string;
    try {
      const answer = { query, challenge: pending, address: request.ip };
      token = await signInWithProvider(context, provider, answer);
    } catch (error) {
      if (!(error instanceof OidcError)) throw error;
      return refuse(request, reply, error, pending.next);
    }
    return reply
      .header('Set-Cookie', sessionCookie.write(token))
      .redirect(new URL(pending.next, baseUrl).href, 303);
  });
}

/** A path of the console, or `/`. Parsed as browsers do: they drop tabs and take `\` for `/`. */
function localPath(next: unknown, baseUrl: string): string {
  if (typeof next !== 'string' || next.length > maxNextLength || !next.startsWith('/')) return '/';
  const { origin } = new URL(baseUrl);
  const url = URL.parse(next, origin);
  // A path such as `/.//host` begins with two slashes once it is parsed, which would be another host.
  if (url?.origin !== origin || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
