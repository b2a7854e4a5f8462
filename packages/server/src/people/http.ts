import { fileURLToPath } from 'node:url';
import { consolePaths } from '@tastegraph/contract';
import { singleHeader } from '../http/identity.ts';
import type { HttpPart } from '../http/part.ts';
import { repeat } from '../kernel/lib/repeat.ts';
import { isReadOnly } from '../kernel/postgres/sessions.ts';
import { createRateLimit } from '../kernel/redis/token-bucket.ts';
import type { Services } from '../services.ts';
import { authorizeSession } from './authorize.ts';
import { createSessionCookie } from './console/cookie.ts';
import type { OidcParts } from './console/oidc-routes.ts';
import { loadConsolePages, serveConsolePages } from './console/pages.ts';
import { serveConsole } from './console/routes.ts';
import { OidcProvider } from './oidc/provider.ts';
import {
  createUnknowingTokens,
  learnSecret,
  openSessionTokens,
  type SessionTokens,
} from './session-tokens.ts';
import { Sessions } from './sessions.ts';

/**
 * Failed sign-ins in ten minutes. A password can be guessed, so nobody gets far: 50 per email, whatever the number of addresses,
 * are 7,200 per day. People who mistype theirs have ten attempts. A right password is refused too while a limit is reached, except in a
 * browser that the person has signed in with before, which has ten attempts of its own; and a one-time link still signs the person in.
 */
const perTenMinutes = { seconds: 600, timeoutMs: 500 };
const signInFailuresOfPair = { ...perTenMinutes, name: 'sign-in-failed-pair', limit: 10 };
const signInFailuresOfEmail = { ...perTenMinutes, name: 'sign-in-failed-email', limit: 50 };
const signInFailuresOfDevice = { ...perTenMinutes, name: 'sign-in-failed-device', limit: 10 };
const signInFailuresOfAddress = { ...perTenMinutes, name: 'sign-in-failed-address', limit: 50 };

/** Where `packages/console/build.ts` writes, in a clone as in an installation by deploy/assemble. */
const consoleFolder = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** Identifies people by the cookie of their session. A process of the API also signs them in and serves the console. */
export async function http(services: Services): Promise<HttpPart> {
  const { config, role, reads, controlDb, redis, log } = services;
  // A serving process may read from a standby: people sign in elsewhere.
  const isApi = role !== 'serving';
  const tokens = await openTokens(services, isApi);
  const sessions = new Sessions(controlDb, tokens, { ...config.console, writesUse: isApi }, reads.control);
  const cookie = createSessionCookie(config.baseUrl);
  const identify: HttpPart['identify'] = async (request, { operation }) => {
    const token = cookie.read(request.headers.cookie);
    const hasKey =
      request.headers.authorization !== undefined || singleHeader(request, 'apikey') !== undefined;
    if (token === undefined || hasKey || operation === undefined) return undefined;
    const csrfToken = singleHeader(request, 'tastegraph-csrf');
    const accountId = singleHeader(request, 'tastegraph-account');
    return authorizeSession(sessions, { token, csrfToken, accountId }, operation);
  };
  if (!isApi) return { identify };
  const pages = await loadConsolePages(consoleFolder);
  // The API works without the console.
  if (!pages) log.info({ folder: consoleFolder }, 'the console is not served, because it has not been built');
  const signIn = {
    db: controlDb,
    baseUrl: config.baseUrl,
    oidc: openOidc(services),
    signInLimits: {
      failuresOfPair: createRateLimit(redis, signInFailuresOfPair),
      failuresOfEmail: createRateLimit(redis, signInFailuresOfEmail),
      failuresOfAddress: createRateLimit(redis, signInFailuresOfAddress),
      failuresOfDevice: createRateLimit(redis, signInFailuresOfDevice),
    },
  };
  return {
    identify,
    surface(app) {
      if (pages) serveConsolePages(app, pages);
      serveConsole(app, sessions, cookie, signIn);
    },
  };
}

/** Requests nothing yet: the process starts whether or not the provider can be reached. */
function openOidc({ config: { baseUrl, console } }: Services): OidcParts | undefined {
  if (!console.oidc) return undefined;
  const { name, ...options } = console.oidc;
  const redirectUri = `${baseUrl}${consolePaths.oidcCallback}`;
  return { name, provider: new OidcProvider({ ...options, redirectUri }) };
}

/** How often a serving process looks for the secret of sessions, until it exists. */
const secretPollMs = 1000;

/** A serving process may start on a standby before the secret exists: it accepts sessions as soon as an api process has stored it. */
async function openTokens(
  { reads: { control: db }, log, stopping, closers }: Services,
  isApi: boolean,
): Promise<SessionTokens> {
  try {
    return await openSessionTokens(db);
  } catch (error) {
    if (isApi || !isReadOnly(error)) throw error;
  }
  const tokens = createUnknowingTokens();
  const found = new AbortController();
  const learning = repeat(
    {
      pauseMs: secretPollMs,
      stopping: AbortSignal.any([stopping, found.signal]),
      onError: (error) => log.warn({ err: error }, 'failed to read the secret of sessions; will retry'),
    },
    async () => {
      if (await learnSecret(db, tokens)) found.abort();
      return false;
    },
  );
  closers.add('secret of sessions', 5000, () => learning);
  return tokens;
}
