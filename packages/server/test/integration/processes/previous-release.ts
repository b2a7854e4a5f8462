import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, '../../../../..');

export interface PreviousRelease extends AsyncDisposable {
  /** Its entry point, to be run by Node. */
  readonly main: string;
}

/** The release that `deploy/previous-release` names. */
export async function checkOutPreviousRelease(): Promise<PreviousRelease> {
  const commit = (await readFile(join(repository, 'deploy/previous-release'), 'utf8')).trim();
  const folder = await mkdtemp(join(tmpdir(), 'tastegraph-previous-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await extract(commit, folder);
    await installPackages(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { main: join(folder, 'packages/server/src/main.ts'), [Symbol.asyncDispose]: remove };
}

async function extract(commit: string, folder: string): Promise<void> {
  try {
    await run('git', ['-C', repository, 'cat-file', '-e', `${commit}^{commit}`]);
  } catch (cause) {
    throw new Error(
      `The previous release, commit ${commit}, is not in this clone. ` +
        'Fetch it with "git fetch --unshallow", or only it with "git fetch origin <commit>".',
      { cause },
    );
  }
  const archive = join(folder, 'previous.tar');
  await run('git', ['-C', repository, 'archive', `--output=${archive}`, commit]);
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
}

/** Its own third-party packages, which may differ from this version's. */
async function installPackages(folder: string): Promise<void> {
  await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: folder,
  });
}
