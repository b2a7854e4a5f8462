import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeManifest } from '../../sdk/publish/manifest.ts';
import { collectModules } from './modules.ts';

/**
 * Builds dist/, the published package: the server with all workspaces that it needs, as JavaScript, because Node runs no
 * TypeScript below node_modules. Files have the same places as in the repository, so paths between them stay valid.
 */
const here = new URL('../', import.meta.url);
const root = new URL('../../', here);
export const dist = new URL('dist/', here);

/** What starts everything else: the command, and with it `dev` and `demo`. */
const entries = ['packages/server/src/start.mjs'];
const bin = 'packages/server/tastegraph-server';
/** Files that are read, not imported. */
const assets = [
  bin,
  'packages/server/migrations',
  'packages/console/dist',
  'deploy/postgres/tastegraph.conf',
  'dev/src/processes/guard.sh',
];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines?: object;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export function build(): void {
  rmSync(dist, { recursive: true, force: true });
  execFileSync(process.execPath, [fileURLToPath(new URL('packages/console/build.ts', root))], {
    stdio: 'inherit',
  });
  const { code, libraries } = collectModules(root, entries);
  for (const [path, text] of code) write(path, text);
  for (const path of assets) cpSync(new URL(path, root), new URL(path, dist), { recursive: true });
  writeManifests(libraries);
}

function write(path: string, text: string): void {
  mkdirSync(new URL('.', new URL(path, dist)), { recursive: true });
  writeFileSync(new URL(path, dist), text);
}

function writeManifests(libraries: ReadonlySet<string>): void {
  const { name, version } = readManifest('packages/server/package.json');
  const { optionalDependencies } = readManifest('dev/package.json');
  const { engines } = readManifest('package.json');
  writeManifest(here, dist, {
    bin: { 'tastegraph-server': `./${bin}` },
    engines,
    dependencies: Object.fromEntries(
      [...libraries].sort().map((library) => [library, lockedVersion(library)]),
    ),
    // A PostgreSQL for `dev`, if the machine has none.
    optionalDependencies,
    files: ['packages', 'dev', 'deploy'],
  });
  // The command reads its version here, as in the repository.
  write('packages/server/package.json', `${JSON.stringify({ name, version, type: 'module' }, null, 2)}\n`);
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(new URL(path, root), 'utf8')) as Manifest;
}

/** The version that is tested here. npm 12 ignores a lock file in a package, so an exact version is all that it can have. */
function lockedVersion(library: string): string {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const places = ['packages/server/', 'packages/contract/', 'packages/charts/', 'packages/files/', ''];
  const found = places.map((place) => packages[`${place}node_modules/${library}`]).find(Boolean);
  if (found?.version === undefined) throw new Error(`package-lock.json has no ${library}.`);
  return found.version;
}

if (import.meta.main) build();
