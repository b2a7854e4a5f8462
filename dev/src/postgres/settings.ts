import { readFile, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { memoryLimit } from '@tastegraph/server/memory';
import { type Account, run } from '../processes/run.ts';
import type { Binaries } from './binaries.ts';

export type Settings = Readonly<Record<string, string>>;

/** The production settings, which tests and benchmarks use too. */
const SETTINGS_FILE = resolve(import.meta.dirname, '../../../deploy/postgres/tastegraph.conf');

const GIB = 1024 ** 3;

/** For data that is deleted with its server: nothing is written twice, and nothing waits for the disk. */
export const disposable: Settings = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};

export async function readProductSettings(): Promise<Settings> {
  return parseSettings(await readFile(SETTINGS_FILE, 'utf8'));
}

export function parseSettings(text: string): Settings {
  const settings: Record<string, string> = {};
  for (const line of text.split('\n')) {
    const [, name, quoted, bare] = /^\s*([a-z_.]+)\s*=?\s*(?:'((?:[^']|'')*)'|([^\s#']+))/i.exec(line) ?? [];
    if (name) settings[name] = (quoted ?? bare ?? '').replaceAll("''", "'");
  }
  return settings;
}

export function renderSettings(settings: Settings): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (!/^[a-z_][a-z0-9_.]*$/i.test(name))
      throw new Error(`${name} is not the name of a PostgreSQL setting.`);
    return `${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'\n`;
  });
  return `# Written at every start. Change deploy/postgres/tastegraph.conf instead.\n${lines.join('')}`;
}

export interface ClusterLocation {
  readonly dataDirectory: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
}

/** Settings that depend on the machine. */
export async function machineSettings(location: ClusterLocation, product: Settings): Promise<Settings> {
  const memory = memoryLimit();
  const disk = await statfs(location.dataDirectory);
  const freeGib = (disk.bavail * disk.bsize) / GIB;
  const socketPath = join(location.dataDirectory, '.s.PGSQL.65535');
  return {
    listen_addresses: '127.0.0.1',
    // In the data directory, which other users cannot enter. The kernel limits the path (macOS: 104 bytes, Linux: 108).
    unix_socket_directories: Buffer.byteLength(socketPath) < 104 ? location.dataDirectory : '',
    // An eighth of the memory instead of a quarter, because tests, a browser and an editor run here too.
    shared_buffers: `${Math.floor(Math.min(memory / 8, 2 * GIB) / 1024 ** 2)}MB`,
    // WAL takes at most a quarter of the free disk space, so that a load test cannot fill a laptop's disk.
    ...(freeGib / 4 < 16 ? { max_wal_size: `${Math.max(1, Math.floor(freeGib / 4))}GB` } : {}),
    ...((await supports(location, 'wal_compression', product['wal_compression']))
      ? {}
      : { wal_compression: 'pglz' }),
  };
}

/** The PostgreSQL from npm is built without lz4. Trying the setting works for every build. */
async function supports(
  location: ClusterLocation,
  name: string,
  value: string | undefined,
): Promise<boolean> {
  if (value === undefined) return true;
  const args = ['-D', location.dataDirectory, '-c', `${name}=${value}`, '-C', name];
  const { account } = location;
  return (await run(join(location.binaries.binDirectory, 'postgres'), args, { account, limitMs: 10_000 })).ok;
}
