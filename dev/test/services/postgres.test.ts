import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BinariesMissingError,
  isPortFree,
  type PrivatePostgres,
  startPostgres,
  startStandby,
} from '../../src/index.ts';
import { listProcesses } from '../../src/postgres/postmaster.ts';
import { ownerOf } from '../../src/processes/account.ts';
import { query } from './query.ts';

const LIMIT_MS = 60_000;
const installed15 = existsSync('/usr/lib/postgresql/15/bin/postgres');

describe.each([
  { binaries: '15', available: installed15 },
  { binaries: '18', available: true },
])('PostgreSQL $binaries', ({ binaries, available }) => {
  describe.runIf(available)('that was started', () => {
    let postgres: PrivatePostgres;
    beforeAll(async () => {
      postgres = await startPostgres({ binaries, settings: { work_mem: '7MB' } });
    }, LIMIT_MS);
    afterAll(() => postgres.stop(), LIMIT_MS);

    it('has the requested version, durability and the production settings', async () => {
      const [row] = await query(
        postgres.url,
        `select current_setting('server_version') as version, current_setting('fsync') as fsync,
                current_setting('max_connections') as connections, current_setting('work_mem') as work_mem,
                current_setting('server_encoding') as encoding, current_setting('wal_compression') as compression`,
      );
      expect(row?.['version']).toMatch(new RegExp(`^${binaries}\\.`));
      expect(postgres.version).toMatch(new RegExp(`^${binaries}\\.`));
      expect(row).toMatchObject({ fsync: 'on', connections: '200', work_mem: '7MB', encoding: 'UTF8' });
      expect(['lz4', 'pglz']).toContain(row?.['compression']);
    });

    it('requires the password', async () => {
      const url = postgres.url.replace(/:[0-9a-f]+@/, ':wrong@');
      await expect(query(url, 'select 1')).rejects.toThrow(/password authentication failed/);
    });

    it(
      'keeps committed data after it was killed during a statement and restarted',
      async () => {
        await query(postgres.url, 'create table kept as select generate_series(1, 1000) as n');
        const busy = query(postgres.url, 'select pg_sleep(60)').catch((error: unknown) => error);
        const { pid } = postgres;
        await postgres.kill();
        expect(await busy).toBeInstanceOf(Error);
        await expect(query(postgres.url, 'select 1')).rejects.toThrow();

        await postgres.restart();
        expect(postgres.pid).not.toBe(pid);
        expect(await query(postgres.url, 'select count(*)::int as n from kept')).toEqual([{ n: 1000 }]);
      },
      LIMIT_MS,
    );

    it(
      'restarts if only its postmaster was killed and a child still holds the shared memory',
      async () => {
        const { dataDirectory, pid, url } = postgres;
        const account = await ownerOf(dataDirectory);
        const endless = 'select count(*) from generate_series(1, 1e12::bigint)';
        const busy = query(url, endless).catch(() => undefined);
        const isBusy = `select 1 as found from pg_stat_activity where query = '${endless}'`;
        await expect.poll(() => query(url, isBusy)).toHaveLength(1);
        process.kill(pid, 'SIGKILL');
        await expect.poll(() => listProcesses(dataDirectory, account)).not.toContain(pid);
        expect(await listProcesses(dataDirectory, account)).not.toEqual([]);

        await postgres.restart();
        await busy;
        expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
      },
      LIMIT_MS,
    );

    it(
      'restarts even if the process ID in its lock file belongs to another process now',
      async () => {
        await postgres.kill();
        const lockFile = join(postgres.dataDirectory, 'postmaster.pid');
        const lines = (await readFile(lockFile, 'utf8')).split('\n');
        await writeFile(lockFile, [process.pid, ...lines.slice(1)].join('\n'));
        await postgres.restart();
        expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }]);
      },
      LIMIT_MS,
    );

    it(
      'leaves nothing behind when it stops',
      async () => {
        const { dataDirectory, logFile, port } = postgres;
        await postgres.stop();
        expect(existsSync(dataDirectory)).toBe(false);
        expect(existsSync(logFile)).toBe(false);
        expect(await isPortFree(port)).toBe(true);
        await expect(postgres.restart()).rejects.toThrow();
        await expect(postgres.stop()).resolves.toBeUndefined();
      },
      LIMIT_MS,
    );
  });
});

describe('the dataDirectory option', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tastegraph-test-'));
    // For root, PostgreSQL runs as another user, who must be able to enter.
    if (process.getuid?.() === 0) await chmod(directory, 0o755);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it(
    'keeps its data after stop, is opened with the version that created it, and by one server at a time',
    async () => {
      const dataDirectory = join(directory, 'postgres');
      {
        await using first = await startPostgres({ dataDirectory, binaries: '18' });
        await query(first.url, 'create table kept as select 1 as n');
        await expect(startPostgres({ dataDirectory })).rejects.toThrow(/process \d+/);
      }
      await using second = await startPostgres({ dataDirectory });
      expect(second.version).toMatch(/^18\./);
      expect(await query(second.url, 'select n from kept')).toEqual([{ n: 1 }]);
    },
    LIMIT_MS,
  );

  it('refuses a directory with other files', async () => {
    await expect(startPostgres({ dataDirectory: directory })).rejects.toThrow(directory);
  });
});

describe('a failed start', () => {
  it(
    'reports the log of PostgreSQL and what to do next',
    async () => {
      const failed = startPostgres({ settings: { shared_preload_libraries: 'no_such_library' } });
      await expect(failed).rejects.toThrow(/no_such_library[^]*Next: /);
    },
    LIMIT_MS,
  );

  it('reports a missing PostgreSQL', async () => {
    await expect(startPostgres({ binaries: '99' })).rejects.toBeInstanceOf(BinariesMissingError);
  });
});

describe('a standby', () => {
  it(
    "has its primary's committed data, and accepts writes only after it is promoted",
    async () => {
      await using primary = await startPostgres();
      await query(primary.url, 'create table copied as select 1 as n');
      await using standby = await startStandby(primary, 'second');
      await query(primary.url, "alter system set synchronous_standby_names = 'second'");
      await query(primary.url, 'select pg_reload_conf()');
      await query(primary.url, 'set synchronous_commit = remote_apply; insert into copied values (2)');
      const isSynchronous = 'select sync_state from pg_stat_replication';
      expect(await query(primary.url, isSynchronous)).toEqual([{ sync_state: 'sync' }]);
      expect(await query(standby.url, 'select n from copied order by n')).toEqual([{ n: 1 }, { n: 2 }]);
      await expect(query(standby.url, 'insert into copied values (3)')).rejects.toMatchObject({
        code: '25006',
      });

      await primary.kill();
      await standby.promote();
      await query(standby.url, 'insert into copied values (3)');
      await standby.restart();
      expect(await query(standby.url, 'select count(*)::int as n from copied')).toEqual([{ n: 3 }]);
    },
    LIMIT_MS,
  );
});
