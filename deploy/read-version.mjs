#!/usr/bin/env node
// deploy/read-version.mjs: prints the version of the release, if all packages, the dependencies between them, the Python package and the chart have the same.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const read = (path) => readFileSync(join(root, path), 'utf8');
const found = [];

for (const path of globSync('{packages/*,dev,acceptance,bench,examples/*}/package.json', {
  cwd: root,
}).sort()) {
  const { version, dependencies = {} } = JSON.parse(read(path));
  found.push([path, version]);
  for (const [name, wanted] of Object.entries(dependencies))
    if (name.startsWith('@tastegraph/') && wanted !== '*') found.push([`${path}, ${name}`, wanted]);
}
const field = (path, pattern) => found.push([path, pattern.exec(read(path))?.[1]]);
field('packages/python/src/tastegraph/_version.py', /^VERSION = "(.+)"$/m);
field('deploy/helm/tastegraph/Chart.yaml', /^version: (.+)$/m);
field('deploy/helm/tastegraph/Chart.yaml', /^appVersion: "(.+)"$/m);

const versions = new Set(found.map(([, version]) => version));
if (versions.size === 1) console.log([...versions][0]);
else {
  console.error(
    `The versions differ:\n${found.map(([path, version]) => `  ${version}  ${path}`).join('\n')}`,
  );
  process.exitCode = 1;
}
