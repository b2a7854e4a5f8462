import pg from 'pg';
import { type Database, isUnavailable } from './pool.ts';
import type { ReadServerName, ReadServers } from './read-servers.ts';
import { SessionError } from './sessions.ts';

interface ReadDatabaseOptions {
  readonly servers: ReadServers;
  readonly databases: Readonly<Record<ReadServerName, Database>>;
  /** With `primary`, reads from it while it is there, for what must not be behind. */
  readonly preferred: ReadServerName;
}

/** SQLSTATEs of statements that would not take less time on another server. */
const timeoutStates = new Set(['55P03', '57014']);

/**
 * Reads from the primary or its replica. A read that fails because its server is unavailable, or stops answering, is repeated
 * on the other one. Use it only for reads. The first keys and secrets are an exception, since their creation may be repeated. Closing
 * it leaves both databases open.
 */
export function openReadDatabase({ servers, databases, preferred }: ReadDatabaseOptions): Database {
  const first = () => (preferred === 'primary' && servers.isUp('primary') ? 'primary' : servers.current());

  /** Rejects as soon as the server counts as gone: its connection may hang for longer. */
  const use = async <T>(name: ReadServerName, read: (db: Database) => Promise<T>): Promise<T> => {
    const { promise: lost, reject } = Promise.withResolvers<never>();
    const forget = servers.whenLost(name, () => reject(new SessionError(`the ${name} does not answer`)));
    try {
      return await Promise.race([read(databases[name]), lost]);
    } finally {
      forget();
    }
  };

  const readFromEither = async <T>(read: (db: Database) => Promise<T>): Promise<T> => {
    const name = first();
    try {
      return await use(name, read);
    } catch (error) {
      const state = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
      if (!isUnavailable(error) || timeoutStates.has(state)) throw error;
      // The first error says what is wrong: the other servers were not meant to be read from.
      return readFrom(next(name), read).catch(() => {
        throw error;
      });
    }
  };

  /** Only a probe decides that a server is gone: a read is repeated where others go, and never on a replica that lags too far. */
  const next = (failed: ReadServerName): readonly ReadServerName[] => {
    if (failed === 'replica') return servers.isUp('primary') ? ['primary'] : ['replica', 'primary'];
    return servers.needsPrimary() ? ['primary'] : ['primary', 'replica'];
  };

  const readFrom = async <T>(
    [name = 'primary', ...others]: readonly ReadServerName[],
    read: (db: Database) => Promise<T>,
  ): Promise<T> => {
    if (others.length > 0 && !servers.isUp(name)) return readFrom(others, read);
    return use(name, read).catch((error: unknown) => {
      if (others.length === 0 || !isUnavailable(error)) throw error;
      return readFrom(others, read);
    });
  };

  return {
    rows: (statement, values) => readFromEither((db) => db.rows(statement, values)),
    transaction: (work) => readFromEither((db) => db.transaction(work)),
    close: async () => undefined,
  };
}
