import { setTimeout as sleep } from 'node:timers/promises';
import type { Downloads } from '../domain/download/find-download.ts';
import { Authenticator } from '../domain/token/authenticate.ts';
import { SigningKeys } from '../domain/token/signing-keys.ts';
import { buildApp } from '../http/app.ts';
import type { Handlers } from '../http/handlers.ts';
import { within } from '../lib/within.ts';
import { pingDatabase } from '../storage/postgres/pool.ts';
import { createRateLimit } from '../storage/redis/rate-limit.ts';
import type { Runtime } from './run.ts';

/**
 * Token requests a minute. A client needs one an hour for each set of scopes; a fleet of processes behind one
 * address needs more of them at a start.
 */
const tokenRequestsByKey = { name: 'token-key', points: 300, seconds: 60 };
const tokenRequestsByAddress = { name: 'token-address', points: 600, seconds: 60 };

/** Who asks waits 5 s. */
const readyMs = 3000;

/** Serves these operations, tokens, documentation and health. Answers the address it listens on. */
export async function startHttp(
  { config, log, metrics, db, queue, redis, closers, stopping }: Runtime,
  handlers: Handlers,
  downloads?: Downloads,
): Promise<string> {
  const signingKeys = new SigningKeys(db);
  const app = buildApp({
    handlers,
    work: { db, queue, stopping },
    authenticator: new Authenticator(db, signingKeys),
    issuing: {
      db,
      signingKeys,
      limits: {
        byKey: createRateLimit(redis, tokenRequestsByKey),
        byAddress: createRateLimit(redis, tokenRequestsByAddress),
      },
    },
    downloads,
    log,
    metrics,
    trustProxy: config.trustProxy,
    isReady: async () => !stopping.aborted && (await within(readyMs, pingDatabase(db)).catch(() => false)),
  });
  const drainMs = config.drainSeconds * 1000;
  // First /readyz says no, while calls are still taken; then requests under way are answered: the longest statement ends
  // within its own timeout.
  closers.add('http', drainMs + 35_000, async () => {
    await sleep(drainMs);
    await app.close();
  });
  const address = await app.listen({ host: config.host, port: config.port });
  log.info({ address }, 'listening');
  return address;
}
