import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { writeMadeMovieLens } from './pages/made-movielens.ts';
import { parsePage, readPage } from './pages/read-page.ts';
import { writeSession } from './pages/write-session.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const built = resolve(root, 'acceptance/.build/pages');
const movieLens = resolve(root, 'acceptance/.build/ml-1m');
const sessionModule = resolve(import.meta.dirname, 'pages/session.ts');

/** A page may train a model or two, on a machine that is busy otherwise. */
const pageLimitMs = 300_000;

/** The guide's order is the reader's: later pages go on with the project that the first one made. */
const guide = 'docs/guide';
const index = readFileSync(`${root}/${guide}/README.md`, 'utf8');
const chapters = [
  ...new Set([...index.matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, name]) => `${guide}/${name ?? ''}`)),
];
const paths = ['README.md', `${guide}/README.md`, ...chapters];

const programOf = (path: string) => `${built}/${path}.ts`;

beforeAll(() => {
  rmSync(built, { recursive: true, force: true });
  writeMadeMovieLens(movieLens);
  for (const path of paths) writeProgram(path, writeSession(readPage(root, path), sessionModule));
});

/** What the compiler or Node says of a page's program, as said of the page. */
const asOfPage = (text: string) =>
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
  };
  await run('node', [programOf(path)], {
    cwd: root,
    env,
    timeout: pageLimitMs - 10_000,
    killSignal: 'SIGKILL',
  }).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(asOfPage(`${path} does not do what it says.\n${stdout}\n${stderr}`));
  });
}

describe('what the pages show is run, in their order', () => {
  test('every page of the guide is in its index', () => {
    const pages = readdirSync(`${root}/${guide}`).filter((name) => name.endsWith('.md'));
    expect(pages.map((name) => `${guide}/${name}`).toSorted()).toEqual(paths.slice(1).toSorted());
  });

  test('the programs of all pages compile', { timeout: 120_000 }, async () => {
    const config = { extends: `${root}/tsconfig.json`, include: ['.'], exclude: [] };
    writeFileSync(`${built}/tsconfig.json`, JSON.stringify(config));
    const { stdout } = await run('tsc', ['-p', `${built}/tsconfig.json`], { cwd: root }).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(asOfPage(stdout)).toBe('');
  });

  test.each(paths)('%s', { timeout: pageLimitMs }, runPage);
});

describe('a page that is wrong is found, with page and line', () => {
  const page = (...lines: string[]) => parsePage('wrong.md', lines.join('\n'));
  const tryPage = async (...lines: string[]) => {
    writeProgram('wrong.md', writeSession(page(...lines), sessionModule));
    await runPage('wrong.md');
  };

  test('a block of code that throws', async () => {
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

  test('a shell command that fails, and what was set before it', async () => {
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

  test('an answer that is another than the page shows', async () => {
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

  test('a block of a language that is not run and does not say so', () => {
    expect(() => page('', '```sh', 'true', '```')).toThrow('wrong.md:2: a block must be one of');
    expect(() => page('```ts', 'true')).toThrow('wrong.md:1: the block is not closed');
  });
});
