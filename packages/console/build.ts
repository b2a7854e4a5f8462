import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Builds the console to dist/, unless the last build is newer than everything it was made of. `npm run dev`, `npm run demo` and
 * deploy/assemble run it.
 */
const here = import.meta.dirname;
const packages = join(here, '..');
const sources = [
  ...['src', 'public', 'index.html', 'vite.config.ts', 'package.json'].map((name) => join(here, name)),
  ...['sdk', 'contract', 'files', 'charts'].map((name) => join(packages, name, 'src')),
  join(packages, '../package-lock.json'),
];
const dist = join(here, 'dist');

if (await isStale()) {
  // Whatever the environment of a test says, this is what users get. Vite reads it when it is imported.
  process.env['NODE_ENV'] = 'production';
  const { build } = await import('vite');
  // In a folder of its own, so that a process that starts meanwhile never reads half a build.
  const scratch = join(here, '.build', String(process.pid));
  await mkdir(scratch, { recursive: true });
  await build({ root: here, logLevel: 'warn', build: { outDir: join(scratch, 'new'), emptyOutDir: true } });
  await rename(dist, join(scratch, 'old')).catch(ignore('ENOENT'));
  // Another process that has built the same at the same time was first.
  await rename(join(scratch, 'new'), dist).catch(ignore('ENOTEMPTY'));
  await rm(scratch, { recursive: true, force: true });
}

async function isStale(): Promise<boolean> {
  const built = await modifiedAt(join(dist, 'index.html'));
  const times = await Promise.all(sources.map(newestIn));
  return built < Math.max(...times);
}

async function newestIn(path: string): Promise<number> {
  const own = await modifiedAt(path);
  const inside = await readdir(path, { recursive: true }).catch(() => []);
  const times = await Promise.all(inside.map((name) => modifiedAt(join(path, name))));
  return Math.max(own, ...times);
}

/** 0 if it does not exist: deploy/assemble has no lock file of packages that it does not install. */
async function modifiedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function ignore(code: string): (error: unknown) => void {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  };
}
