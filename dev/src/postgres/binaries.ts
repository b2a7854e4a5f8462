import { access, constants, glob, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { type Account, run } from '../processes/run.ts';
import { copyEmbedded, findEmbedded } from './embedded.ts';

export interface Binaries {
  readonly binDirectory: string;
  /** For example `18.4`. */
  readonly version: string;
  readonly major: number;
}

/** The oldest PostgreSQL that the server supports. */
const OLDEST_MAJOR = 15;

const SEARCH_PATHS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
];

export class BinariesMissingError extends Error {
  override readonly name = 'BinariesMissingError';
}

/**
 * Finds PostgreSQL. `requested` is a bin directory, a major version, or `auto`: TASTEGRAPH_PG_BIN if set, otherwise an
 * installed version, otherwise the one from npm. `dataMajor` is the version that wrote the data, which no other can read.
 */
export async function findBinaries(
  requested: string,
  account: Account | undefined,
  dataMajor?: string,
): Promise<Binaries> {
  const chosen = requested === 'auto' ? process.env['TASTEGRAPH_PG_BIN'] || undefined : requested;
  if (chosen && !isMajor(chosen)) {
    const binaries = await tryDirectory(chosen, account);
    if (binaries) return binaries;
    throw new BinariesMissingError(
      `${chosen} contains no PostgreSQL that can run here. Pass the bin directory of a PostgreSQL installation.`,
    );
  }
  const requiredMajor = chosen ?? dataMajor;
  const matches = ({ major }: Binaries) =>
    requiredMajor ? major === Number(requiredMajor) : major >= OLDEST_MAJOR;
  const found = (await findInstalled(account)).find(matches);
  if (found) return found;
  const embedded = await tryEmbedded(account);
  if (embedded && matches(embedded)) return embedded;
  throw new BinariesMissingError(
    `PostgreSQL ${requiredMajor ?? `${OLDEST_MAJOR} or later`} was not found. Install it (apt install postgresql, ` +
      'dnf install postgresql-server, or brew install postgresql@18), set TASTEGRAPH_PG_BIN to its bin directory, ' +
      'or run `npm install` without --omit=optional, which installs one.',
  );
}

/** Those on the PATH first, as the developer's choice; then the newest. */
async function findInstalled(account: Account | undefined): Promise<Binaries[]> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const installed: string[] = [];
  for await (const directory of glob(SEARCH_PATHS)) installed.push(directory);
  const chosen = await tryDirectories(onPath, account);
  const others = await tryDirectories(installed, account);
  return [...chosen, ...others.sort((a, b) => b.major - a.major)];
}

async function tryDirectories(directories: string[], account: Account | undefined): Promise<Binaries[]> {
  const tried = await Promise.all(directories.map((directory) => tryDirectory(directory, account)));
  return tried.filter((binaries) => binaries !== undefined);
}

async function tryEmbedded(account: Account | undefined): Promise<Binaries | undefined> {
  const embedded = await findEmbedded();
  if (!embedded) return undefined;
  // If it runs, its libraries are linked and the account has access.
  const inPlace = await tryDirectory(join(embedded.root, 'bin'), account);
  return inPlace ?? tryDirectory(join(await copyEmbedded(embedded), 'bin'), account);
}

async function tryDirectory(directory: string, account: Account | undefined): Promise<Binaries | undefined> {
  try {
    await access(join(directory, 'initdb'), constants.X_OK);
    // A link on the PATH leads to the directory that also contains pg_dump, psql and the others.
    const program = await realpath(join(directory, 'postgres'));
    const { ok, stdout } = await run(program, ['--version'], { account, limitMs: 10_000 });
    const version = /\(PostgreSQL\) (\d+\S*)/.exec(stdout)?.[1];
    return ok && version
      ? { binDirectory: dirname(program), version, major: Number.parseInt(version, 10) }
      : undefined;
  } catch {
    return undefined;
  }
}

function isMajor(text: string): boolean {
  return /^\d+$/.test(text);
}
