import type { Config, Role } from '../config.ts';
import type { Closers } from '../kernel/lib/closers.ts';
import type { Log } from '../kernel/observability/log.ts';
import type { Metrics } from '../kernel/observability/metrics.ts';
import { type Database, openDatabase } from '../kernel/postgres/pool.ts';
import { openReadDatabase } from '../kernel/postgres/read-database.ts';
import { probeMs, ReadServers } from '../kernel/postgres/read-servers.ts';
import type { Reads } from '../services.ts';
import type { ConnectionShares } from './connections.ts';
import { readSwitches, readsFromReplica, replicaLag } from './metrics.ts';

interface ReadsContext {
  readonly config: Config;
  readonly role: Role;
  readonly shares: ConnectionShares;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly closers: Closers;
}

/** Opens the replica of DATABASE_READ_URL, for roles that answer recommendation calls. Without one, reads go to the primary. */
export async function openReads(
  { config, role, shares, log, metrics, closers }: ReadsContext,
  primary: { readonly control: Database; readonly serving: Database },
): Promise<Reads> {
  const { databaseUrl, databaseReadUrl, databaseReadLagMs: maxLagMs } = config;
  if (databaseReadUrl === undefined || (role !== 'serving' && role !== 'all-in-one'))
    return { ...primary, current: primary.serving, servers: undefined };
  const open = (url: string, options: { poolSize: number; plansOnce?: boolean; answerMs?: number }) => {
    const onIdleError = (error: Error) => log.warn({ err: error }, 'lost an idle database connection');
    const db = openDatabase({ ...options, url, onIdleError, acceptsReadOnly: true });
    closers.add('read connections', 5000, () => db.close());
    return db;
  };
  const replica = open(databaseReadUrl, { poolSize: shares.serving, plansOnce: true });
  const probe = { poolSize: 1, answerMs: probeMs };
  const servers = new ReadServers({
    probes: { primary: open(databaseUrl, probe), replica: open(databaseReadUrl, probe) },
    maxLagMs,
    onSwitch(to, reason) {
      metrics.add(readSwitches, { to });
      const level = reason === 'replica caught up' ? 'info' : 'warn';
      log[level]({ server: to, reason }, `reads go to the ${to} now`);
    },
  });
  metrics.watch(readsFromReplica, () => (servers.current() === 'replica' ? 1 : 0));
  metrics.watch(replicaLag, () => servers.lagMs() / 1000);
  for (const to of ['primary', 'replica'] as const) metrics.add(readSwitches, { to }, 0);
  await servers.probe();
  // Calls are answered until the HTTP server has closed, which closes before this.
  const closing = new AbortController();
  const watching = servers.watch(closing.signal);
  closers.add('replication lag', 5000, () => {
    closing.abort();
    return watching;
  });
  const databases = { primary: primary.serving, replica };
  return {
    serving: openReadDatabase({ servers, databases, preferred: 'replica' }),
    current: openReadDatabase({ servers, databases, preferred: 'primary' }),
    control: openReadDatabase({
      servers,
      databases: { primary: primary.control, replica },
      preferred: 'primary',
    }),
    servers,
  };
}
