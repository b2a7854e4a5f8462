import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPortFree, type PrivatePostgres, startPostgres } from '../../src/index.ts';
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

    it('is of the version asked for, durable, and set up as the product', async () => {
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

    it('lets nobody in without the password', async () => {
      const url = postgres.url.replace(/:[0-9a-f]+@/, ':wrong@');
      await expect(query(url, 'select 1')).rejects.toThrow(/password authentication failed/);
    });

    it(
      'keeps what was committed when it is killed, with a statement under way, and started again',
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
      'starts again when only its postmaster was killed and a child still holds the shared memory',
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
      'starts again though its lock file names a process that is now somebody else',
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
      'leaves nothing when it stops',
      async () => {
        const { dataDirectory, logFile, port } = postgres;
        await postgres.stop();
        expect(existsSync(dataDirectory)).toBe(false);
        expect(existsSync(logFile)).toBe(false);
        expect(await isPortFree(port)).toBe(true);
        await expect(postgres.restart()).rejects.toThrow(/was stopped/);
        await expect(postgres.stop()).resolves.toBeUndefined();
      },
      LIMIT_MS,
    );
  });
});

describe('a data directory that is named', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tastegraph-test-'));
    // As in a checkout: root's PostgreSQL runs as another user, who must be able to enter.
    if (process.getuid?.() === 0) await chmod(directory, 0o755);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it(
    'is kept by stop, opened by the next start with the version that made it, and by one server at a time',
    async () => {
      const dataDirectory = join(directory, 'postgres');
      {
        await using first = await startPostgres({ dataDirectory, binaries: '18' });
        await query(first.url, 'create table kept as select 1 as n');
        await expect(startPostgres({ dataDirectory })).rejects.toThrow(/already runs on .* \(process \d+\)/);
      }
      await using second = await startPostgres({ dataDirectory });
      expect(second.version).toMatch(/^18\./);
      expect(await query(second.url, 'select n from kept')).toEqual([{ n: 1 }]);
    },
    LIMIT_MS,
  );

  it('is not touched when it holds something else', async () => {
    await expect(startPostgres({ dataDirectory: directory })).rejects.toThrow(/holds no PostgreSQL data/);
  });
});

describe('a start that fails', () => {
  it(
    'says what PostgreSQL said and what to do, and leaves nothing',
    async () => {
      const failed = startPostgres({ settings: { shared_preload_libraries: 'no_such_library' } });
      await expect(failed).rejects.toThrow(/ended while it started[^]*no_such_library[^]*Next: /);
    },
    LIMIT_MS,
  );

  it('says where to get PostgreSQL when there is none', async () => {
    await expect(startPostgres({ binaries: '99' })).rejects.toThrow(
      /PostgreSQL 99 was not found\. Install it/,
    );
  });
});
