import { fileURLToPath } from 'node:url';
import { type ConsolePages, loadConsolePages } from '../people/console/pages.ts';
import type { Runtime } from './run.ts';

/** Where `packages/console/build.ts` writes, in a clone as in an installation by deploy/assemble. */
const folder = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** The API works without the console. */
export async function openConsolePages({ log }: Runtime): Promise<ConsolePages | undefined> {
  const files = await loadConsolePages(folder);
  if (!files) log.info({ folder }, 'the console is not served, because it has not been built');
  return files;
}
