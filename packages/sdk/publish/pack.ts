import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  readonly filename: string;
  readonly entryCount: number;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Packs a built package as npm would. */
export function pack(folder: string, workspace: string) {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', workspace], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  // npm 12 prints an object by package name, older versions a list.
  const [entry] = Object.values(JSON.parse(printed) as object) as Entry[];
  if (!entry) throw new Error('npm pack created no package.');
  return { entry, tarball: join(workspace, entry.filename) };
}

/** Packs a built package, and unpacks it into node_modules of the workspace. */
export function packAndInstall(folder: string, name: string, workspace: string) {
  const { entry, tarball } = pack(folder, workspace);
  const installed = join(workspace, 'node_modules', name);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  return { entry, tarball, installed };
}
