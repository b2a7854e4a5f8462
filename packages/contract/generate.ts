import { readFileSync } from 'node:fs';
import { writeGenerated } from '@tastegraph/dev/generated-files';
import { pythonModules } from './generate/python/modules.ts';
import { syncClient } from './generate/python/sync-client.ts';
import { contractPage } from './generate/reference/contract-page.ts';
import { errorsPage } from './generate/reference/errors-page.ts';
import { limitsPage } from './generate/reference/limits-page.ts';
import { operationsPage } from './generate/reference/operations-page.ts';
import { buildOpenApi } from './src/openapi.ts';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const openApi = buildOpenApi();
const pythonFolder = 'packages/python/src/tastegraph';
const asyncClient = readFileSync(new URL(`../../${pythonFolder}/_async_client.py`, import.meta.url), 'utf8');
const python = Object.entries({
  ...pythonModules(openApi, version),
  '_sync_client.py': syncClient(asyncClient),
});

/** The files that are generated from the contract. */
writeGenerated({
  'packages/contract/openapi.json': `${JSON.stringify(openApi, null, 2)}\n`,
  'docs/reference/contract.md': contractPage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/limits.md': limitsPage(),
  'docs/reference/operations.md': operationsPage(),
  ...Object.fromEntries(python.map(([name, text]) => [`${pythonFolder}/${name}`, text])),
});
