import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** Training is slow on a busy machine. */
export const timeout = 240_000;
/** The first run downloads and installs packages. */
export const installTimeout = 600_000;

/** CI has Python; developers may not. */
export const installPython = 'To run this test, install python3 with venv (on Debian, python3-venv).';

export const access = {
  TASTEGRAPH_URL: inject('baseUrl'),
  TASTEGRAPH_API_KEY: inject('apiKey'),
  TASTEGRAPH_API_SECRET: inject('apiSecret'),
};

export interface Python {
  readonly command: string;
  /** Such as `3.11.2`. */
  readonly version: string;
}

/** Undefined if Python or a module that a virtual environment needs is missing. */
export async function findPython(command = 'python3'): Promise<Python | undefined> {
  const args = ['-c', 'import ensurepip, platform, venv; print(platform.python_version())'];
  const result = await run(command, args).catch(() => undefined);
  return result && { command, version: result.stdout.trim() };
}

const minors = [11, 12, 13, 14, 15];

/** One Python per minor version from 3.11 on: that of the system first, then those of pyenv. */
export async function findPythons(): Promise<Python[]> {
  const commands = [
    'python3',
    ...minors.map((minor) => `python3.${minor}`),
    ...globSync(`${process.env['PYENV_ROOT'] ?? `${homedir()}/.pyenv`}/versions/3.*/bin/python3`).toSorted(),
  ];
  const found = new Map<string, Python>();
  for (const command of commands) {
    const python = await findPython(command);
    const [, minor = ''] = /^3\.(\d+)\./.exec(python?.version ?? '') ?? [];
    if (python && Number(minor) >= 11 && !found.has(minor)) found.set(minor, python);
  }
  return [...found.values()];
}

/** What the tests of the Python package need beside it. */
export const pythonRequirements =
  readFileSync(`${root}/packages/python/tests/requirements.txt`, 'utf8').match(/^\w.*$/gm) ?? [];

/** Returns what the command printed. Throws with its output if it fails. */
export async function mustRun(
  command: string,
  args: readonly string[],
  {
    env = {},
    cwd = root,
    limitMs = timeout - 10_000,
  }: { env?: NodeJS.ProcessEnv; cwd?: string; limitMs?: number } = {},
): Promise<string> {
  const options = {
    cwd,
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...access, ...env },
    timeout: limitMs,
    maxBuffer: 2 ** 24,
  };
  const { stdout } = await run(command, args, options).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed.\n${stdout}\n${stderr}`);
  });
  return stdout;
}

/** Several test files may need the same environment at the same time. */
const installOnce = `
import fcntl, os, subprocess, sys
folder, *packages = sys.argv[1:]
os.makedirs(os.path.dirname(folder), exist_ok=True)
with open(folder + ".lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    if not os.path.exists(folder + "/complete"):
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [folder + "/bin/pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages], check=True)
        open(folder + "/complete", "w").close()
`;

/** Returns a virtual environment with these packages, which is kept for the next run. */
export async function pythonTools(python: Python, packages: readonly string[]): Promise<string> {
  const cache = process.env['XDG_CACHE_HOME'] ?? `${homedir()}/.cache`;
  const hash = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 12);
  const tools = `${cache}/tastegraph-clients/python-${python.version}-${hash}`;
  if (!existsSync(`${tools}/complete`))
    await mustRun(python.command, ['-c', installOnce, tools, ...packages], { limitMs: installTimeout });
  return tools;
}
