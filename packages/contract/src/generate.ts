import { readFileSync, writeFileSync } from 'node:fs';
import { buildOpenApi } from './openapi.ts';
import { contractPage } from './reference/contract-page.ts';
import { errorsPage } from './reference/errors-page.ts';
import { limitsPage } from './reference/limits-page.ts';
import { operationsPage } from './reference/operations-page.ts';

/** Writes the files that are generated from the contract. With `--check`, writes nothing and fails if a file is stale. */
const root = new URL('../../../', import.meta.url);

const generated: Record<string, string> = {
  'packages/contract/openapi.json': `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
  'docs/reference/contract.md': contractPage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/limits.md': limitsPage(),
  'docs/reference/operations.md': operationsPage(),
};

const stale = Object.entries(generated).filter(([path, text]) => read(path) !== text);

if (process.argv.includes('--check')) {
  for (const [path] of stale)
    console.error(`${path} is stale: run "npm run generate" and commit the result.`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const [path, text] of stale) {
    writeFileSync(new URL(path, root), text);
    console.log(`wrote ${path}`);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch {
    return undefined;
  }
}
