import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtempDisposable, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startPostgres } from '../../src/postgres/start.ts';
import { findFreePort } from '../../src/processes/port.ts';

/**
 * `node dev/test/release/leaves.ts [LEAF…]`: a leaf goes with its folder and its line in modules.ts. For each leaf, in a copy of the server
 * without both: only the check that all operations have a module fails to compile, and without that check a process with all roles starts.
 */
const root = new URL('../../../', import.meta.url).pathname;
const run = promisify(execFile);
const server = 'packages/server';
const startLimitMs = 60_000;

/** As all-in-one.ts, which is compiled without it here. */
const completeness = `import { requireComplete } from './modules.ts';
import type { openServing } from './serving.ts';

export const check = (serving: Awaited<ReturnType<typeof openServing>>) => requireComplete(serving);
`;

const config = (await import(join(root, 'dependency-cruiser.config.mjs'))) as { leaves: readonly string[] };
const named = process.argv.slice(2);
const leaves = named.length > 0 ? named : config.leaves;
await using postgres = await startPostgres({});
await run(process.execPath, [join(root, server, 'src/main.ts'), 'migrate'], {
  env: { PATH: process.env['PATH'], DATABASE_URL: postgres.url },
});
for (const leaf of leaves) {
  const start = performance.now();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'leaves-'));
  await copyWithout(leaf, folder.path);
  await compile(leaf, folder.path);
  await startProcess(leaf, folder.path);
  console.log(`${leaf}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
}

/** Everything but the server is linked. Its tests are left out: those of the leaf go with it. */
async function copyWithout(leaf: string, folder: string): Promise<void> {
  await mkdir(join(folder, server), { recursive: true });
  for (const name of ['node_modules', 'package.json']) await symlink(join(root, name), join(folder, name));
  for (const name of await readdir(join(root, 'packages')))
    if (name !== 'server') await symlink(join(root, 'packages', name), join(folder, 'packages', name));
  for (const name of ['src', 'migrations', 'package.json'])
    await cp(join(root, server, name), join(folder, server, name), { recursive: true });
  const src = join(folder, server, 'src');
  await rm(join(src, leaf), { recursive: true });
  await rewrite(join(src, 'processes/modules.ts'), (line) =>
    line.includes(`'../${leaf}/index.ts'`) || line === `  ${leaf},` ? undefined : line,
  );
  await rewrite(join(src, 'processes/all-in-one.ts'), (line) =>
    line.includes('requireComplete') ? undefined : line,
  );
  await writeFile(join(src, 'processes/completeness.ts'), completeness);
  const tsconfig = { extends: join(root, 'tsconfig.json'), include: [`${server}/src`] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
}

/** Throws if nothing changes: the line is somewhere else now. */
async function rewrite(path: string, edit: (line: string) => string | undefined): Promise<void> {
  const before = (await readFile(path, 'utf8')).split('\n');
  const after = before.map(edit).filter((line) => line !== undefined);
  if (before.length !== after.length + 2) throw new Error(`${path}: expected two lines to remove`);
  await writeFile(path, after.join('\n'));
}

async function compile(leaf: string, folder: string): Promise<void> {
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
  const { stdout } = await run(tsc, ['-p', '.', '--pretty', 'false'], { cwd: folder }).catch(
    (error: unknown) => error as { stdout: string },
  );
  const errors = stdout.split('\n').filter((line) => / error TS\d+: /.test(line));
  const other = errors.filter((line) => !line.startsWith(`${server}/src/processes/completeness.ts`));
  if (other.length > 0) throw new Error(`The server needs ${leaf}:\n${other.join('\n')}`);
  if (errors.length === 0) throw new Error(`Nothing says that the operations of ${leaf} are missing.`);
}

async function startProcess(leaf: string, folder: string): Promise<void> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [join(folder, server, 'src/main.ts'), 'all-in-one'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: postgres.url,
      OBJECTS_URL: pathToFileURL(join(folder, 'objects')).href,
      OWNER_EMAIL: 'none',
      PORT: String(port),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise((settle) => child.on('close', settle));
  try {
    for (const end = performance.now() + startLimitMs; ; ) {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.ok) break;
      if (child.exitCode !== null || performance.now() > end)
        throw new Error(`The server does not start without ${leaf}. ${output}`);
      await sleep(50);
    }
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
