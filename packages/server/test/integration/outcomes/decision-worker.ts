import { openFolderStore } from '../../../src/kernel/objects/folder/open.ts';
import { createLog } from '../../../src/kernel/observability/log.ts';
import { openDatabase } from '../../../src/kernel/postgres/pool.ts';
import { attributeProject } from '../../../src/outcomes/attribution/attribute-project.ts';
import { mergeSmallFiles } from '../../../src/outcomes/log/keep-decisions.ts';
import { sortBatches } from '../../../src/outcomes/log/sort-batches.ts';
import { attributed, hooks } from '../../../src/processes/modules.ts';

/**
 * Started by outcomes-crash.test.ts as a separate process, to be killed: does what a worker does with the decision log, again and
 * again, and prints the name of each step before it. It takes no claims, which a killed worker would keep for minutes. What
 * fails is tried again, as a worker does.
 */
const [databaseUrl = '', root = '', projectKey = '0'] = process.argv.slice(2);
const db = openDatabase({ url: databaseUrl, poolSize: 2, onIdleError: () => undefined });
const context = {
  db,
  databaseUrl,
  store: await openFolderStore({ root }),
  stopping: new AbortController().signal,
  keptDays: 30,
  everySeconds: 120,
  hooks,
  attributed,
};
const log = createLog('silent', 'worker');
for (;;) {
  try {
    console.log('sort');
    const { days } = await sortBatches(context, log);
    console.log('merge');
    for (const day of days) await mergeSmallFiles(context, day);
    console.log('attribute');
    await attributeProject(context, Number(projectKey));
    console.log('done');
  } catch {
    console.log('failed');
  }
}
