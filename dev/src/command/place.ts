import { join, resolve } from 'node:path';

/** The clone, or the npm package, in which the files have the same places. */
export const ROOT = resolve(import.meta.dirname, '../../..');

/** Whether this is the npm package: it contains JavaScript. */
const isPackage = import.meta.filename.endsWith('.js');

/** Where data is kept between runs: in the clone, or where the user runs the package, which an upgrade replaces. */
export const DATA_DIRECTORY = isPackage ? resolve('.tastegraph') : join(ROOT, '.dev');

/** How the user starts a command, for example "npm run demo -- --keep". */
export function commandLine(name: 'dev' | 'demo', options = ''): string {
  if (isPackage) return `npx @tastegraph/server ${name} ${options}`.trimEnd();
  return options === '' ? `npm run ${name}` : `npm run ${name} -- ${options}`;
}
