import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../../', import.meta.url).href;
const server = 'packages/server/src';
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** What a file loads as soon as it is imported. `import type` is gone when Node runs it. */
const staticImport = /^(?:import|export) (?!type )(?:[^;'"()]*? from )?'([^']+)';$/gm;

/** What a module adds to every process that answers calls. */
const addedByModule = /\b(?:http|serving|started): async \(\) => \(await import\('\.\/([^']+)'\)\)/g;

/** Every file of the repository and every package that these load, by who loads it first. */
function loadedBy(entries: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map(entries.map((entry) => [`${server}/${entry}`, 'main.ts']));
  for (const [path] of found) {
    if (!path.endsWith('.ts')) continue;
    for (const [, specifier = ''] of read(path).matchAll(staticImport)) {
      if (specifier.startsWith('node:')) continue;
      const isOurs = specifier.startsWith('.') || specifier.startsWith('@tastegraph/');
      const to = isOurs ? resolve(specifier, root + path) : specifier;
      if (!found.has(to)) found.set(to, path);
    }
  }
  return found;
}

function resolve(specifier: string, from: string): string {
  const url = specifier.startsWith('.') ? new URL(specifier, from).href : import.meta.resolve(specifier);
  if (!url.startsWith(root)) throw new Error(`${specifier} is not in the repository: ${url}`);
  return url.slice(root.length);
}

/** What only workers and the API need. Every process reads the definitions, and lets a module add to its HTTP server. */
const forbidden = [
  /^@duckdb\/|parquet|kafka/,
  /^packages\/files\//,
  /^packages\/server\/src\/kernel\/files\/(duckdb|parquet|csv)\.ts/,
  /^packages\/server\/src\/(imports|exports|training|analyses|batches|erasure)\/(?!(index|http|metrics)\.ts$)/,
];
const isForbidden = (path: string) => forbidden.some((pattern) => pattern.test(path));

test('a serving process loads no DuckDB, importer, exporter or trainer', () => {
  const added = globSync(`${server}/*/index.ts`, { cwd: new URL(root) }).flatMap((path) =>
    Array.from(read(path).matchAll(addedByModule), ([, file]) => `${path.split('/')[3]}/${file}`),
  );
  expect(added).toContain('imports/http.ts');
  const loaded = loadedBy(['processes/run.ts', 'processes/serving.ts', ...added]);
  expect(loaded.size).toBeGreaterThan(200);
  const wrong = Array.from(loaded).filter(([path]) => isForbidden(path));
  expect(wrong.map(([path, by]) => `${path}, loaded by ${by}`)).toEqual([]);
});

test.each(['exports/exporter.ts', 'imports/importer.ts', 'training/trainer.ts'])(
  'this would find what %s loads',
  (thread) => {
    const loaded = Array.from(loadedBy([thread]).keys()).filter(isForbidden);
    expect(loaded).toContain(`${server}/${thread}`);
    // And what it imports.
    expect(loaded.length).toBeGreaterThan(1);
  },
);

// The schemas of all operations take longer to build than a thread needs to start.
test.each([
  'analyses/clustering/clusterer.ts',
  'analyses/querying/querier.ts',
  'batches/recommender.ts',
  'exports/exporter.ts',
  'training/range-reader.ts',
  'training/trainer.ts',
])('a thread loads no schemas: %s', (thread) => {
  const loaded = loadedBy([thread]);
  expect(loaded.get('packages/contract/src/concepts/index.ts')).toBeUndefined();
});
