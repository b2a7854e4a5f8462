import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { beforeAll, expect, inject, test } from 'vitest';

/** The two clients that docs/reference/other-languages.md shows: made from the contract, and its programs run with them. */
const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const contract = `${root}/packages/contract/openapi.json`;
const page = readFileSync(`${root}/docs/reference/other-languages.md`, 'utf8');
const built = `${root}/acceptance/.build/clients`;
const pythonGenerator = 'openapi-python-client==0.29.1';

/** The first run fetches the generator; a busy machine trains slowly. */
const timeout = 240_000;

const place = {
  TASTEGRAPH_URL: inject('baseUrl'),
  TASTEGRAPH_API_KEY: inject('apiKey'),
  TASTEGRAPH_API_SECRET: inject('apiSecret'),
};

const seen = {
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

test('the server shows the document that clients are made from', async () => {
  const shown: unknown = await (await fetch(`${place.TASTEGRAPH_URL}/openapi.json`)).json();
  expect(shown).toEqual(JSON.parse(readFileSync(contract, 'utf8')));
});

test('a client generated for TypeScript compiles, and does all of it', { timeout }, async () => {
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
    ...{ strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true, outDir: 'compiled', rootDir: '.' },
    ...{ target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'], module: 'nodenext', types: ['node'] },
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['.'] }));
  await mustRun('tsc', ['-p', folder]);
  expect(JSON.parse(await mustRun('node', [`${folder}/compiled/program.js`]))).toEqual(seen);
});

test('a client generated for Python does all of it', { timeout }, async ({ skip }) => {
  const version = await pythonVersion();
  // The gate has Python; a developer may do without.
  skip(
    version === undefined && process.env['CI'] !== 'true',
    'python3 with its venv is not here: install it (on Debian, python3-venv) to run this test.',
  );
  const tools = await fetchPythonGenerator(version ?? '');
  const folder = `${built}/python`;
  await mustRun(
    'openapi-python-client',
    [
      ...['generate', '--path', contract, '--meta', 'none'],
      ...['--output-path', `${folder}/tastegraph_client`, '--fail-on-warning'],
    ],
    // The generator formats what it wrote with its own ruff.
    { PATH: `${tools}/bin:${process.env['PATH'] ?? ''}` },
  );
  writeFileSync(`${folder}/program.py`, programOf('python'));
  expect(JSON.parse(await mustRun(`${tools}/bin/python`, [`${folder}/program.py`]))).toEqual(seen);
});

test('the page names the versions that are tried', () => {
  const { version } = JSON.parse(
    readFileSync(`${root}/node_modules/@hey-api/openapi-ts/package.json`, 'utf8'),
  ) as { version: string };
  expect(page).toContain(`npx @hey-api/openapi-ts@${version} `);
  expect(page).toContain(`pip install ${pythonGenerator}\n`);
});

function programOf(language: 'ts' | 'python'): string {
  const [, program] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  if (program === undefined) throw new Error(`The page has no block of ${language}.`);
  return program;
}

/** What a command printed; what it said, if it failed. */
async function mustRun(
  command: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const options = { cwd: root, env: { ...process.env, ...place, ...env }, timeout: timeout - 10_000 };
  const { stdout } = await run(command, words, options).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${words.join(' ')} failed.\n${stdout}\n${stderr}`);
  });
  return stdout;
}

/** Undefined where Python is missing, or a part of it that an environment of its own needs. */
async function pythonVersion(): Promise<string | undefined> {
  const words = ['-c', 'import ensurepip, platform, venv; print(platform.python_version())'];
  const answer = await run('python3', words).catch(() => undefined);
  return answer?.stdout.trim();
}

/** An environment of the generator's own, kept for the next run. */
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
