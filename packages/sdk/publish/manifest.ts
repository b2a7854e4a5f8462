import { cpSync, readFileSync, writeFileSync } from 'node:fs';

/** Writes the package.json of a published package, and copies its README and the license. `here`: the package in the repository. */
export function writeManifest(here: URL, dist: URL, fields: Readonly<Record<string, unknown>>): void {
  const { name, version, description, license } = JSON.parse(
    readFileSync(new URL('package.json', here), 'utf8'),
  ) as Record<string, string>;
  const manifest = { name, version, description, license, type: 'module', ...fields };
  writeFileSync(new URL('package.json', dist), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(new URL('README.md', here), new URL('README.md', dist));
  cpSync(new URL('../../LICENSE', here), new URL('LICENSE', dist));
}
