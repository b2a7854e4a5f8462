import {
  type ConsoleSession,
  consolePaths,
  RedeemLink,
  SetPassword,
  SignIn,
  type SignInOptions,
  SignOut,
} from '@tastegraph/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../http/api-error.ts';
import { acceptJson } from '../../http/body/accept-json.ts';
import { compileBody } from '../../http/validate.ts';
import { sessionEnded } from '../authorize.ts';
import { signDevice, verifyDevice } from '../device.ts';
import { redeemLink } from '../links.ts';
import type { Session, Sessions } from '../sessions.ts';
import { type SignInContext, setPassword, signIn } from '../sign-in.ts';
import { type Cookie, createDeviceCookie } from './cookie.ts';
import { type OidcParts, serveOidc } from './oidc-routes.ts';

interface SignInParts extends Omit<SignInContext, 'sessions'> {
  readonly baseUrl: string;
  /** Absent without an identity provider. */
  readonly oidc: OidcParts | undefined;
}

/** The largest request is two passwords of 256 characters. */
const body = { maxBytes: 8192, list: undefined };

const parse = {
  signIn: compileBody(SignIn),
  redeemLink: compileBody(RedeemLink),
  setPassword: compileBody(SetPassword),
  signOut: compileBody(SignOut),
};

/** Signing in to the console, and out. `contract/src/console.ts` says what is sent. */
export function serveConsole(
  app: FastifyInstance,
  sessions: Sessions,
  cookie: Cookie,
  { baseUrl, oidc, ...parts }: SignInParts,
): void {
  const context: SignInContext = { ...parts, sessions };
  const deviceCookie = createDeviceCookie(baseUrl);
  const tokenOf = (request: FastifyRequest) => cookie.read(request.headers.cookie);
  const currentSession = async (request: FastifyRequest): Promise<Session> => {
    const session = await sessions.find(tokenOf(request));
    if (!session) throw sessionEnded();
    return session;
  };
  /** Answers with a session that has just started, and ends the one before, if any: a token is never used again. */
  const answerStarted = async (request: FastifyRequest, reply: FastifyReply, token: string) => {
    const before = tokenOf(request);
    if (before !== undefined) await sessions.end(before);
    const session = await sessions.find(token);
    if (!session) throw sessionEnded();
    const people = session.people.map(({ person_id }) => person_id);
    return reply
      .header('Set-Cookie', [cookie.write(token), deviceCookie.write(signDevice(sessions.tokens, people))])
      .send(present(session));
  };

  void app.register(async (scope) => {
    acceptJson(scope);
    scope.addHook('onRequest', async (request, reply) => {
      void reply.header('Cache-Control', 'no-store');
      if (request.method === 'POST') requireSameOrigin(request, baseUrl);
    });

    scope.get(
      consolePaths.signInOptions,
      async (): Promise<SignInOptions> => ({
        password: true,
        // At the address that the provider knows, where the cookies are set.
        oidc: oidc ? { name: oidc.name, url: `${baseUrl}${consolePaths.oidcStart}` } : null,
      }),
    );
    if (oidc) serveOidc(scope, oidc, context, { baseUrl, sessionCookie: cookie });

    scope.get(consolePaths.session, async (request) => present(await currentSession(request)));

    scope.post(consolePaths.signIn, { config: { body } }, async (request, reply) => {
      const { email, password } = parse.signIn(request.body);
      const device = verifyDevice(sessions.tokens, deviceCookie.read(request.headers.cookie));
      const attempt = { email, password, address: request.ip, device };
      return answerStarted(request, reply, await signIn(context, attempt));
    });

    scope.post(consolePaths.redeemLink, { config: { body } }, async (request, reply) => {
      const { token } = parse.redeemLink(request.body);
      return answerStarted(request, reply, await redeemLink(context, { token, address: request.ip }));
    });

    scope.post(consolePaths.setPassword, { config: { body } }, async (request, reply) => {
      const { password, current_password: currentPassword } = parse.setPassword(request.body);
      const change = { password, currentPassword, address: request.ip };
      return answerStarted(request, reply, await setPassword(context, await currentSession(request), change));
    });

    scope.post(consolePaths.signOut, { config: { body } }, async (request, reply) => {
      const { everywhere = false } = parse.signOut(request.body ?? {});
      const token = tokenOf(request);
      const session = await sessions.find(token);
      if (session && everywhere) await sessions.endAllOf(session.people.map(({ person_id }) => person_id));
      else if (token !== undefined) await sessions.end(token);
      return reply.header('Set-Cookie', cookie.write(undefined)).send({});
    });
  });
}

function present({ people, csrfToken, expiresMs }: Session): ConsoleSession {
  const [{ name, email }] = people;
  const accounts = people.map(({ account_id, account_name, role, person_id }) => ({
    account_id,
    name: account_name,
    role,
    person_id,
  }));
  return { person: { name, email }, accounts, csrf_token: csrfToken, expires_at: expiresMs };
}

/**
 * Refuses a call that another site may have made the browser send. The browser sets both headers, scripts cannot. Sec-Fetch-Site
 * also works if the console is opened at another address than BASE_URL, such as localhost.
 */
function requireSameOrigin({ headers }: FastifyRequest, baseUrl: string): void {
  if (headers['sec-fetch-site'] === 'same-origin' || headers.origin === new URL(baseUrl).origin) return;
  throw new ApiError(
    'CSRF_REJECTED',
    'The call does not come from a page of this address. Open the console at the address in BASE_URL.',
  );
}
