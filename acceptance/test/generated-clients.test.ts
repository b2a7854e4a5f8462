import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { beforeAll, expect, inject, test } from 'vitest';

/** Generates the two clients of docs/reference/other-languages.md and runs the page's programs with them. */
const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const contract = `${root}/packages/contract/openapi.json`;
const page = readFileSync(`${root}/docs/reference/other-languages.md`, 'utf8');
const built = `${root}/acceptance/.build/clients`;
const pythonGenerator = 'openapi-python-client==0.29.1';

/** The first run downloads the generator, and training is slow on a busy machine. */
const timeout = 240_000;

const access = {
  TASTEGRAPH_URL: inject('baseUrl'),
  TASTEGRAPH_API_KEY: inject('apiKey'),
  TASTEGRAPH_API_SECRET: inject('apiSecret'),
};

const expected = {
  written: [80, 30, 640],
  models: [['spring', true]],
  travellers: [40, 40],
  serving: true,
  kinds: ['travel', 'travel', 'travel'],
  seen: false,
  missing: [404, expect.stringMatching(/^application\/problem\+json/), 'NOT_FOUND'],
};

beforeAll(() => {
  rmSync(built, { recursive: true, force: true });
  mkdirSync(`${built}/python`, { recursive: true });
});

test('the server serves the document that clients are generated from', async () => {
  const shown: unknown = await (await fetch(`${access.TASTEGRAPH_URL}/openapi.json`)).json();
  expect(shown).toEqual(JSON.parse(readFileSync(contract, 'utf8')));
});

test('a generated TypeScript client compiles and runs the whole workflow', { timeout }, async () => {
  const folder = `${built}/typescript`;
  await createClient({
    input: contract,
    output: { path: `${folder}/client`, module: { extension: '.js' } },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'warn', file: false },
    parser: { validate_EXPERIMENTAL: 'strict' },
  });
  writeFileSync(`${folder}/program.ts`, programOf('ts'));
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    outDir: 'compiled',
    rootDir: '.',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['.'] }));
  await mustRun('tsc', ['-p', folder]);
  expect(JSON.parse(await mustRun('node', [`${folder}/compiled/program.js`]))).toEqual(expected);
});

test('a generated Python client runs the whole workflow', { timeout }, async ({ skip }) => {
  const version = await pythonVersion();
  // CI has Python; developers may not.
  skip(
    version === undefined && process.env['CI'] !== 'true',
    'To run this test, install python3 with venv (on Debian, python3-venv).',
  );
  const tools = await fetchPythonGenerator(version ?? '');
  const folder = `${built}/python`;
  await mustRun(
    'openapi-python-client',
    [
      'generate',
      '--path',
      contract,
      '--meta',
      'none',
      '--output-path',
      `${folder}/tastegraph_client`,
      '--fail-on-warning',
    ],
    // The generator formats its output with ruff from the same environment.
    { PATH: `${tools}/bin:${process.env['PATH'] ?? ''}` },
  );
  writeFileSync(`${folder}/program.py`, programOf('python'));
  expect(JSON.parse(await mustRun(`${tools}/bin/python`, [`${folder}/program.py`]))).toEqual(expected);
});

test('the page has the versions that are tested', () => {
  const { version } = JSON.parse(
    readFileSync(`${root}/node_modules/@hey-api/openapi-ts/package.json`, 'utf8'),
  ) as { version: string };
  expect(page).toContain(`npx @hey-api/openapi-ts@${version} `);
  expect(page).toContain(`pip install ${pythonGenerator}\n`);
});

function programOf(language: 'ts' | 'python'): string {
  const [, program] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  if (program === undefined) throw new Error(`The page has no ${language} block.`);
  return program;
}

/** Returns what the command printed. Throws with its output if it fails. */
async function mustRun(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const options = { cwd: root, env: { ...process.env, ...access, ...env }, timeout: timeout - 10_000 };
  const { stdout } = await run(command, args, options).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed.\n${stdout}\n${stderr}`);
  });
  return stdout;
}

/** Undefined if Python or a module that a virtual environment needs is missing. */
async function pythonVersion(): Promise<string | undefined> {
  const args = ['-c', 'import ensurepip, platform, venv; print(platform.python_version())'];
  const result = await run('python3', args).catch(() => undefined);
  return result?.stdout.trim();
}

/** Installs the generator in its own virtual environment, which is kept for the next run. */
async function fetchPythonGenerator(version: string): Promise<string> {
  const cache = process.env['XDG_CACHE_HOME'] ?? `${homedir()}/.cache`;
  const tools = `${cache}/tastegraph-clients/python-${version}-${pythonGenerator}`;
  const complete = `${tools}/complete`;
  if (existsSync(complete)) return tools;
  await mustRun('python3', ['-m', 'venv', '--clear', tools]);
  await mustRun(`${tools}/bin/pip`, ['install', '--quiet', '--disable-pip-version-check', pythonGenerator]);
  writeFileSync(complete, '');
  return tools;
}
