import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { writeManifest } from '../../sdk/publish/manifest.ts';
import { transpile } from './transpile.ts';

/**
 * Builds dist/, the published package: JavaScript for Node, and a bin. The workspace that reads files is part of it; the SDK
 * is a package of its own. `npm run check` checks the types.
 */
const here = new URL('../', import.meta.url);
const files = new URL('../files/', here);
export const dist = new URL('dist/', here);

/** One level below package.json, like src/, because run-command.ts reads the version from `../package.json`. */
const library = 'lib/';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
}

const readManifest = (workspace: URL) =>
  JSON.parse(readFileSync(new URL('package.json', workspace), 'utf8')) as Manifest;

export function build(): void {
  rmSync(dist, { recursive: true, force: true });
  writeModules(here, '');
  writeModules(files, 'files/');
  const { '@tastegraph/files': _, ...dependencies } = {
    ...readManifest(files).dependencies,
    ...readManifest(here).dependencies,
  };
  writeManifest(here, dist, {
    bin: { tastegraph: `./${library}main.js` },
    // The minimum for @platformatic/kafka.
    engines: { node: '>=22.22' },
    dependencies,
    files: [`${library}**/*.js`],
  });
}

/** Writes the modules of a workspace to a folder of the library. */
function writeModules(workspace: URL, folder: string): void {
  const source = new URL('src/', workspace);
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    // The reference page is only generated in the repository.
    if (!file.endsWith('.ts') || file === 'reference.ts') continue;
    const path = `${folder}${file.replace(/\.ts$/, '.js')}`;
    const target = new URL(path, new URL(library, dist));
    mkdirSync(new URL('.', target), { recursive: true });
    const text = withOwnFiles(transpile(readFileSync(new URL(file, source), 'utf8')), path);
    writeFileSync(target, text, { mode: path === 'main.js' ? 0o755 : 0o644 });
  }
}

/** Imports of the workspace that reads files become relative. */
function withOwnFiles(text: string, path: string): string {
  const { exports = {} } = readManifest(files);
  return text.replaceAll(/'@tastegraph\/files(\/\w+)?'/g, (_, name: string = '') => {
    const module = exports[`.${name}`];
    if (module === undefined)
      throw new Error(`${path} imports ${name} of @tastegraph/files, which has no such export.`);
    const target = module.replace('./src/', 'files/').replace(/\.ts$/, '.js');
    const relative = posix.relative(posix.dirname(path), target);
    return `'${relative.startsWith('.') ? relative : `./${relative}`}'`;
  });
}

if (import.meta.main) build();
