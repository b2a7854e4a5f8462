#!/usr/bin/env node
// deploy/list-packages.mjs FOLDER: the packages installed in FOLDER as an SBOM (CycloneDX 1.5). `npm sbom` reads the lock file instead, and leaves out
// packages that another workspace needs as well.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '.';
const server = JSON.parse(readFileSync(join(folder, 'packages/server/package.json'), 'utf8'));

function* packagesIn(modules) {
  for (const { name, isDirectory } of entriesOf(modules)) {
    if (!isDirectory || name.startsWith('.')) continue;
    const path = join(modules, name);
    if (name.startsWith('@')) yield* packagesIn(path);
    else {
      const text = readIfThere(join(path, 'package.json'));
      if (text !== undefined) yield JSON.parse(text);
      yield* packagesIn(join(path, 'node_modules'));
    }
  }
}

function entriesOf(path) {
  try {
    // Links lead to our own packages.
    return readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isDirectory: entry.isDirectory(),
    }));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const found = new Map();
for (const workspace of [
  '.',
  ...entriesOf(join(folder, 'packages')).map(({ name }) => join('packages', name)),
])
  for (const { name, version, license } of packagesIn(join(folder, workspace, 'node_modules'))) {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    const licenses = typeof license === 'string' ? [{ expression: license }] : undefined;
    found.set(purl, { type: 'library', 'bom-ref': purl, name, version, purl, licenses });
  }
const components = [...found.values()].sort((one, other) => (one.purl < other.purl ? -1 : 1));
const component = {
  type: 'application',
  'bom-ref': 'tastegraph',
  name: server.name,
  version: server.version,
};
const bom = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component }, components };
process.stdout.write(`${JSON.stringify(bom, undefined, 1)}\n`);
