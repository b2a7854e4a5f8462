import { Authenticator } from '../domain/token/authenticate.ts';
import { SigningKeys } from '../domain/token/signing-keys.ts';
import { buildApp } from '../http/app.ts';
import { datasetHandlers } from '../http/routes/datasets.ts';
import { jobHandlers } from '../http/routes/jobs.ts';
import { modelHandlers } from '../http/routes/models.ts';
import { projectHandlers } from '../http/routes/projects.ts';
import { recordHandlers } from '../http/routes/records.ts';
import { pingDatabase } from '../storage/postgres/pool.ts';
import { createRateLimit } from '../storage/redis/rate-limit.ts';
import type { Runtime } from './run.ts';

/**
 * Token requests a minute. A client needs one an hour for each set of scopes; a fleet of processes behind one
 * address needs more of them at a start.
 */
const tokenRequestsByKey = { name: 'token-key', points: 300, seconds: 60 };
const tokenRequestsByAddress = { name: 'token-address', points: 600, seconds: 60 };

/** Answers the address it listens on. */
export async function startApi({
  config,
  log,
  db,
  queue,
  redis,
  closers,
  stopping,
}: Runtime): Promise<string> {
  const signingKeys = new SigningKeys(db);
  const app = buildApp({
    handlers: {
      ...datasetHandlers,
      ...recordHandlers,
      ...projectHandlers(config.servingBaseUrl),
      ...jobHandlers,
      ...modelHandlers,
    },
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
    log,
    trustProxy: config.trustProxy,
    isReady: async () => !stopping.aborted && (await pingDatabase(db)),
  });
  // Requests under way are answered first; the longest statement ends within its own timeout.
  closers.add('http', 35_000, () => app.close());
  const address = await app.listen({ host: config.host, port: config.port });
  log.info({ address }, 'the api is listening');
  return address;
}
