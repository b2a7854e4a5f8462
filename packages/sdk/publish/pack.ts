import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  readonly filename: string;
  readonly entryCount: number;
  readonly size: number;
  readonly unpackedSize: number;
}

/** Packs a built package as npm would publish it, and unpacks it in the workplace, where an import finds it by its name. */
export function packAndInstall(folder: string, name: string, workplace: string) {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', workplace], {
    cwd: folder,
    encoding: 'utf8',
  });
  // npm 12 answers an object by package name, older ones a list.
  const [entry] = Object.values(JSON.parse(printed) as object) as Entry[];
  if (!entry) throw new Error('npm pack made nothing.');
  const tarball = join(workplace, entry.filename);
  const installed = join(workplace, 'node_modules', name);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  return { entry, tarball, installed };
}
