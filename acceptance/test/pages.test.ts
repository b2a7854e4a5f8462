import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { parsePage, readPage } from './pages/read-page.ts';
import { writeSyntheticMovieLens } from './pages/synthetic-movielens.ts';
import { writeSession } from './pages/write-session.ts';
import {
  findPython,
  installPython,
  installTimeout,
  pythonRequirements,
  pythonTools,
} from './python-environment.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const built = resolve(root, 'acceptance/.build/pages');
const movieLens = resolve(root, 'acceptance/.build/ml-1m');
const sessionModule = resolve(import.meta.dirname, 'pages/session.ts');

/** A page may train one or two models, on a busy machine. */
const pageLimitMs = 900_000;

/** In reading order: later pages of the guide use the project that the first one creates. */
const guide = 'docs/guide';
const index = readFileSync(`${root}/${guide}/README.md`, 'utf8');
const chapters = [
  ...new Set([...index.matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, name]) => `${guide}/${name ?? ''}`)),
];
const paths = ['README.md', `${guide}/README.md`, ...chapters];

const programOf = (path: string) => `${built}/${path}.ts`;

/** The interpreter for Python blocks. Undefined if there is none. */
let python: string | undefined;

beforeAll(async () => {
  rmSync(built, { recursive: true, force: true });
  writeSyntheticMovieLens(movieLens);
  for (const path of paths) writeProgram(path, writeSession(readPage(root, path), sessionModule));
  const found = await findPython();
  if (found) python = `${await pythonTools(found, pythonRequirements)}/bin/python`;
}, installTimeout);

const hasPython = (path: string) => readPage(root, path).blocks.some(({ language }) => language === 'python');

/** Replaces paths of generated programs by those of their pages, in output of the compiler or Node. */
const toPagePaths = (text: string) =>
  text
    .replaceAll(`file://${built}/`, '')
    .replaceAll(`${relative(root, built)}/`, '')
    .replaceAll(`${built}/`, '')
    .replaceAll('.md.ts', '.md');

function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(programOf(path)), { recursive: true });
  writeFileSync(programOf(path), text);
}

async function runPage(path: string): Promise<void> {
  const env = {
    ...process.env,
    TASTEGRAPH_URL: inject('baseUrl'),
    TASTEGRAPH_API_KEY: inject('apiKey'),
    TASTEGRAPH_API_SECRET: inject('apiSecret'),
    ML: movieLens,
    TASTEGRAPH_PYTHON: python,
    PYTHONPATH: `${root}/packages/python/src`,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  await run('node', [programOf(path)], {
    cwd: root,
    env,
    timeout: pageLimitMs - 10_000,
    killSignal: 'SIGKILL',
  }).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(toPagePaths(`${path} does not run as shown.\n${stdout}\n${stderr}`));
  });
}

describe('the examples of all pages run, in reading order', () => {
  test('every page of the guide is in its index', () => {
    const pages = readdirSync(`${root}/${guide}`).filter((name) => name.endsWith('.md'));
    expect(pages.map((name) => `${guide}/${name}`).toSorted()).toEqual(paths.slice(1).toSorted());
  });

  test('the programs of all pages compile', { timeout: 120_000 }, async () => {
    const config = { extends: `${root}/tsconfig.json`, include: ['.'], exclude: [] };
    writeFileSync(`${built}/tsconfig.json`, JSON.stringify(config));
    const { stdout } = await run('node_modules/typescript-native/bin/tsc', ['-p', `${built}/tsconfig.json`], {
      cwd: root,
    }).catch((error: unknown) => error as { stdout: string });
    expect(toPagePaths(stdout)).toBe('');
  });

  test.for(paths)('%s', { timeout: pageLimitMs }, async (path, { skip }) => {
    skip(hasPython(path) && python === undefined && process.env['CI'] !== 'true', installPython);
    await runPage(path);
  });
});

describe('an incorrect page is reported with page and line', () => {
  const page = (...lines: string[]) => parsePage('wrong.md', lines.join('\n'));
  const tryPage = async (...lines: string[]) => {
    writeProgram('wrong.md', writeSession(page(...lines), sessionModule));
    await runPage('wrong.md');
  };

  test('a code block that throws', async () => {
    const wrong = tryPage(
      '# Wrong',
      '',
      '```ts',
      'const one = 1;',
      "if (one === 1) throw new Error('no');",
      '```',
    );
    await expect(wrong).rejects.toThrow(/wrong\.md:5\n[^]*Error: no/);
  });

  test('a shell command that fails, and variables of earlier blocks', async () => {
    await tryPage(
      '```bash',
      'A=7',
      '```',
      '',
      '```bash',
      'echo "{\\"a\\": $A}"',
      '```',
      '',
      '```json',
      '{ "a": 7 }',
      '```',
    );
    const wrong = tryPage('```bash', 'true', '```', '', '```bash', 'false', '```');
    await expect(wrong).rejects.toThrow(/line 6[^]*failed with 1[^]*wrong\.md:6/);
  });

  test('output that differs from what the page shows', async () => {
    const wrong = tryPage(
      '```ts',
      "console.log({ status: 'PENDING', id: 'job_7' });",
      '```',
      '',
      '```json',
      '{ "status": "SUCCEED", "id": "job_…" }',
      '```',
    );
    await expect(wrong).rejects.toThrow(/line 6: status should be "SUCCEED"/);
  });

  test('a block in an unknown language, or without an end', () => {
    expect(() => page('', '```sh', 'true', '```')).toThrow('wrong.md:2: a block must be one of');
    expect(() => page('```ts', 'true')).toThrow('wrong.md:1: the block is not closed');
  });
});
