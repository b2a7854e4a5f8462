import { readFileSync } from 'node:fs';
import { buildOpenApi } from '../src/openapi.ts';
import { breakingChanges, type OpenApi } from './compare.ts';

/**
 * `npm run check:api`: fails if the contract would break a client of the last release, whose openapi.json is kept here.
 * intended.json lists the changes that are meant to break, with the reason. At a release, copy openapi.json here and empty
 * intended.json.
 */
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const intended = read('./intended.json') as Record<string, string>;
const changes = breakingChanges(read('./openapi.json') as OpenApi, buildOpenApi() as unknown as OpenApi);

const unexpected = changes.filter((change) => !Object.hasOwn(intended, change));
const outdated = Object.keys(intended).filter((change) => !changes.includes(change));
for (const change of unexpected)
  console.error(
    `${change}\n  breaks clients of the last release. Undo it, or add it to intended.json with the reason.`,
  );
for (const change of outdated)
  console.error(`${change}\n  is in intended.json but not a change any more. Remove it.`);
if (unexpected.length + outdated.length > 0) process.exitCode = 1;
else console.log(`No unintended breaking change; ${changes.length} intended.`);
