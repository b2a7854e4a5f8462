import type { Role } from '../config.ts';
import { type Database, openDatabase } from '../kernel/postgres/pool.ts';
import { openReadDatabase } from '../kernel/postgres/read-database.ts';
import { probeMs, ReadServers } from '../kernel/postgres/read-servers.ts';
import type { Reads, Services } from '../services.ts';
import { readSwitches, readsFromReplica, replicaLag } from './metrics.ts';

interface ConnectionShares {
  /** For authentication, tokens and readiness. Never used by operations. */
  readonly control: number;
  /** For the operations of the API and the work of a worker. */
  readonly work: number;
  /** For recommendation calls. */
  readonly serving: number;
  /** The part of `work` that calls may use; the rest is for background work. */
  readonly calls: number;
}

/** With fewer connections, only one is reserved for authentication and health. */
const minForTwoControl = 8;
/** In an all-in-one process. Recommendation calls share statements, so they need fewer connections than writes. */
const servingShare = 0.4;
/** Every role reaps stale jobs. An all-in-one process also claims jobs, purges datasets and writes progress. */
const backgroundConnections: Record<Role, number> = { api: 1, serving: 1, worker: 1, 'all-in-one': 2 };

/** Splits DATABASE_POOL_SIZE into pools, so that writes never delay recommendations, authentication or health checks. */
export function shareConnections(total: number, role: Role): ConnectionShares {
  const control = total >= minForTwoControl ? 2 : 1;
  const rest = Math.max(1, total - control);
  const isShared = role === 'all-in-one';
  const serving = isShared ? Math.max(1, Math.floor(rest * servingShare)) : rest;
  const work = isShared ? Math.max(1, rest - serving) : rest;
  return { control, work, serving, calls: Math.max(1, work - backgroundConnections[role]) };
}

/** Opens the replica of DATABASE_READ_URL, for roles that answer recommendation calls. Without one, reads go to the primary. */
export async function openReads(
  { config, role, log, metrics, closers }: Pick<Services, 'config' | 'role' | 'log' | 'metrics' | 'closers'>,
  poolSize: number,
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
  const replica = open(databaseReadUrl, { poolSize, plansOnce: true });
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
