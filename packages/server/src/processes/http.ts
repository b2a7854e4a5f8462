import { setTimeout as sleep } from 'node:timers/promises';
import { consolePaths } from '@tastegraph/contract';
import type { Config } from '../config.ts';
import { buildApp } from '../http/app.ts';
import { createCallLimits } from '../http/call-limits.ts';
import type { Handlers } from '../http/handlers.ts';
import { openPageTokens, type PageTokens } from '../http/page-tokens.ts';
import type { Downloads } from '../jobs/downloads/downloads.ts';
import { repeat } from '../kernel/lib/repeat.ts';
import { isReadOnly } from '../kernel/postgres/sessions.ts';
import { createRateLimit } from '../kernel/redis/token-bucket.ts';
import { Authenticator } from '../keys/authenticate.ts';
import { KeyUses, writeKeyUses } from '../keys/key-uses.ts';
import { SigningKeys } from '../keys/signing-keys.ts';
import { WriteKeys } from '../keys/write-keys.ts';
import { createSessionCookie } from '../people/console/cookie.ts';
import type { OidcParts } from '../people/console/oidc-routes.ts';
import type { ConsolePages } from '../people/console/pages.ts';
import { OidcProvider } from '../people/oidc/provider.ts';
import {
  createUnknowingTokens,
  learnSecret,
  openSessionTokens,
  type SessionTokens,
} from '../people/session-tokens.ts';
import { Sessions } from '../people/sessions.ts';
import { flushUsage } from '../usage/flush-usage.ts';
import { UsageRecorder } from '../usage/usage-recorder.ts';
import type { Runtime } from './run.ts';

/**
 * Token requests per minute. A client needs one token per hour for each set of scopes; a fleet of processes with one key
 * needs more when it starts.
 *
 * Secrets have 256 random bits, so guessing is hopeless: a botnet of 100,000 addresses at 20 guesses per minute needs 10^63
 * years. Limits on failures reduce the load on logs and the database (a guess costs one indexed read and one SHA-256, 0.2 ms)
 * and must not become a way to lock others out:
 * - One key from one address: after 20 failures only that pair is blocked. The key works from other addresses, and other keys
 *   work from that address.
 * - One key from many addresses: each pair has its own 20 failures, so the owner's address is not blocked.
 * - Many keys from one address: limited to 600 failures in total; further failures get 429 instead of 401. A caller with the
 *   right secret still gets a token, even behind a proxy that hides many callers.
 *
 * Earlier releases kept other values in Redis under token-issued, token-failed-pair and token-failed-address.
 */
const perMinute = { seconds: 60, timeoutMs: 500 };
const tokensIssued = { ...perMinute, name: 'tokens-issued', limit: 300 };
const failuresOfPair = { ...perMinute, name: 'tokens-failed-pair', limit: 20 };
const failuresOfAddress = { ...perMinute, name: 'tokens-failed-address', limit: 600 };

/**
 * Failed sign-ins in ten minutes. A password can be guessed, so nobody gets far: 50 per email, whatever the number of addresses,
 * are 7,200 per day. People who mistype theirs have ten attempts; a right password is refused too while a limit is reached, but a
 * one-time link still signs the person in.
 */
const perTenMinutes = { seconds: 600, timeoutMs: 500 };
const signInFailuresOfPair = { ...perTenMinutes, name: 'sign-in-failed-pair', limit: 10 };
const signInFailuresOfEmail = { ...perTenMinutes, name: 'sign-in-failed-email', limit: 50 };
const signInFailuresOfAddress = { ...perTenMinutes, name: 'sign-in-failed-address', limit: 50 };

/** The share of the memory for verified tokens, and as much again for API keys and for write keys. */
const tokensShare = 0.005;
const minTokenBytes = 4e6;

interface HttpParts {
  readonly downloads?: Downloads;
  readonly pageTokens?: PageTokens;
  readonly consolePages?: ConsolePages | undefined;
}

/** Serves these operations, tokens, documentation and health checks. Returns the address it listens on. */
export async function startHttp(
  runtime: Runtime,
  handlers: Handlers,
  { downloads, pageTokens, consolePages }: HttpParts = {},
): Promise<string> {
  const { config, log, metrics, db, controlDb, reads, queue, redis, closers, stopping } = runtime;
  const signingKeys = new SigningKeys(reads.control);
  const keyUses = new KeyUses((uses) => writeKeyUses(controlDb, uses));
  const onLost = (error: unknown) => log.warn({ err: error }, 'the last use of API keys was not written');
  const noteUse = (apiKey: string) => keyUses.note(apiKey);
  closers.add('uses of API keys', 5000, keyUses.start(stopping, onLost));
  // A serving process has no downloads and may read from a standby: people sign in elsewhere.
  const isApi = downloads !== undefined;
  const usage = new UsageRecorder();
  const cacheBytes = Math.max(minTokenBytes, config.serving.memoryBytes * tokensShare);
  const app = buildApp({
    handlers,
    work: { db, queue, stopping, usage, pageTokens: pageTokens ?? (await openPageTokens(db)) },
    authenticator: new Authenticator(reads.control, signingKeys, { cacheBytes, onUse: noteUse }),
    writeKeys: new WriteKeys(controlDb, { cacheBytes, onUse: noteUse }),
    sessions: new Sessions(
      controlDb,
      await openTokens(runtime, isApi),
      { ...config.console, writesUse: isApi },
      reads.control,
    ),
    cookie: createSessionCookie(config.baseUrl),
    signIn: isApi
      ? {
          db: controlDb,
          baseUrl: config.baseUrl,
          oidc: openOidc(config),
          signInLimits: {
            failuresOfPair: createRateLimit(redis, signInFailuresOfPair),
            failuresOfEmail: createRateLimit(redis, signInFailuresOfEmail),
            failuresOfAddress: createRateLimit(redis, signInFailuresOfAddress),
          },
        }
      : undefined,
    limits: createCallLimits({
      connections: runtime.callConnections,
      onQueued: (callClass, waitedMs) => metrics.callQueued(callClass, waitedMs / 1000),
      onRefused: (callClass, reason) => metrics.callRefused(callClass, reason),
    }),
    tokenIssuer: {
      db: reads.control,
      signingKeys,
      onUse: noteUse,
      limits: {
        issued: createRateLimit(redis, tokensIssued),
        failuresOfPair: createRateLimit(redis, failuresOfPair),
        failuresOfAddress: createRateLimit(redis, failuresOfAddress),
      },
    },
    downloads,
    consolePages,
    log,
    metrics,
    trustProxy: config.trustProxy,
    readiness: runtime.readiness,
  });
  // Closed after the last call was answered, before the database.
  const flushing = flushUsage(usage, db, stopping, (error) =>
    log.warn({ err: error }, 'failed to write usage counts; will retry'),
  );
  closers.add('usage counts', 5000, () => flushing.stop());
  const drainMs = config.drainSeconds * 1000;
  // First /readyz reports "not ready" while calls are still accepted. Then requests in flight are answered; the longest
  // statement ends within its own timeout.
  closers.add('http', drainMs + 35_000, async () => {
    await sleep(drainMs);
    await app.close();
  });
  const address = await app.listen({ host: config.host, port: config.port });
  log.info({ address }, 'listening');
  return address;
}

/** Requests nothing yet: the process starts whether or not the provider can be reached. */
function openOidc({ baseUrl, console: { oidc } }: Config): OidcParts | undefined {
  if (!oidc) return undefined;
  const { name, ...options } = oidc;
  const redirectUri = `${baseUrl}${consolePaths.oidcCallback}`;
  return { name, provider: new OidcProvider({ ...options, redirectUri }) };
}

/** How often a serving process looks for the secret of sessions, until it exists. */
const secretPollMs = 1000;

/** A serving process may start on a standby before the secret exists: it accepts sessions as soon as an api process has stored it. */
async function openTokens(
  { reads: { control: db }, log, stopping, closers }: Runtime,
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
