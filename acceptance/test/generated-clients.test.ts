import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { beforeAll, expect, test } from 'vitest';
import {
  access,
  findPython,
  installPython,
  installTimeout,
  mustRun,
  pythonTools,
  timeout,
} from './python-environment.ts';

/** Generates the clients of docs/reference/other-languages.md, and runs the page's program with the one in TypeScript. */
const root = resolve(import.meta.dirname, '../..');
const contract = `${root}/packages/contract/openapi.json`;
const page = readFileSync(`${root}/docs/reference/other-languages.md`, 'utf8');
const built = `${root}/acceptance/.build/clients`;
const pythonGenerator = 'openapi-python-client==0.29.1';

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
  writeFileSync(`${folder}/program.ts`, programOfPage());
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
  await mustRun('node_modules/typescript-native/bin/tsc', ['-p', folder]);
  expect(JSON.parse(await mustRun('node', [`${folder}/compiled/program.js`]))).toEqual(expected);
});

test('a Python client is generated without warnings', { timeout: installTimeout }, async ({ skip }) => {
  const python = await findPython();
  skip(python === undefined && process.env['CI'] !== 'true', installPython);
  if (!python) throw new Error(installPython);
  const tools = await pythonTools(python, [pythonGenerator]);
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
    { env: { PATH: `${tools}/bin:${process.env['PATH'] ?? ''}` } },
  );
  const program = 'from tastegraph_client import models; print(models.Problem.__name__)';
  expect(await mustRun(`${tools}/bin/python`, ['-c', program], { cwd: folder })).toBe('Problem\n');
});

test('the page has the versions that are tested', () => {
  const { version } = JSON.parse(
    readFileSync(`${root}/node_modules/@hey-api/openapi-ts/package.json`, 'utf8'),
  ) as { version: string };
  expect(page).toContain(`npx @hey-api/openapi-ts@${version} `);
  expect(page).toContain(`pip install ${pythonGenerator}\n`);
});

function programOfPage(): string {
  const [, program] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  if (program === undefined) throw new Error('The page has no ts block.');
  return program;
}
