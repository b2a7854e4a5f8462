import { writeGenerated } from '@tastegraph/dev/generated-files';
import { buildOpenApi } from './openapi.ts';
import { contractPage } from './reference/contract-page.ts';
import { errorsPage } from './reference/errors-page.ts';
import { limitsPage } from './reference/limits-page.ts';
import { operationsPage } from './reference/operations-page.ts';

/** The files that are generated from the contract. */
writeGenerated({
  'packages/contract/openapi.json': `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
  'docs/reference/contract.md': contractPage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/limits.md': limitsPage(),
  'docs/reference/operations.md': operationsPage(),
});
