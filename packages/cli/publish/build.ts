import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeManifest } from '../../sdk/publish/manifest.ts';
import { transpile } from './transpile.ts';

/** Builds dist/, the published package: JavaScript for Node, and a bin. `npm run check` checks the types. */
const here = new URL('../', import.meta.url);
const source = new URL('src/', here);
export const dist = new URL('dist/', here);

/** One level below package.json, like src/, because main.ts reads its version from `../package.json`. */
const library = 'lib/';

export function build(): void {
  rmSync(dist, { recursive: true, force: true });
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    const target = new URL(file, new URL(library, dist));
    if (!file.endsWith('.ts')) mkdirSync(target, { recursive: true });
    // The reference page is only generated in the repository.
    else if (file !== 'reference.ts') writeModule(new URL(file, source), target);
  }
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', here), 'utf8')) as {
    dependencies: object;
  };
  writeManifest(here, dist, {
    bin: { tastegraph: `./${library}main.js` },
    // The minimum for @platformatic/kafka.
    engines: { node: '>=22.22' },
    dependencies,
    files: [`${library}**/*.js`],
  });
}

function writeModule(from: URL, to: URL): void {
  const url = new URL(to.href.replace(/\.ts$/, '.js'));
  mkdirSync(new URL('.', url), { recursive: true });
  writeFileSync(url, transpile(readFileSync(from, 'utf8')), {
    mode: url.href.endsWith('/main.js') ? 0o755 : 0o644,
  });
}

if (import.meta.main) build();
