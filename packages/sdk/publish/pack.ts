import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  readonly filename: string;
  readonly entryCount: number;
  readonly size: number;
  readonly unpackedSize: number;
}

/** Packs a built package as npm would, and unpacks it into node_modules of the workspace. */
export function packAndInstall(folder: string, name: string, workspace: string) {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', workspace], {
    cwd: folder,
    encoding: 'utf8',
  });
  // npm 12 prints an object by package name, older versions a list.
  const [entry] = Object.values(JSON.parse(printed) as object) as Entry[];
  if (!entry) throw new Error('npm pack created no package.');
  const tarball = join(workspace, entry.filename);
  const installed = join(workspace, 'node_modules', name);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  return { entry, tarball, installed };
}
