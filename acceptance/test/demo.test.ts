import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** The time that the README promises. */
const promisedMs = 60_000;
/** Allows more time by default, because other tests may keep the machine busy. */
const allowedMs = process.env['DEMO_IN_TIME'] === '1' ? promisedMs : 4 * promisedMs;

/** The readers that the demo shows, and their favorite genres. */
const tastes = {
  anna: ['Crime', 'History'],
  ben: ['Fantasy', 'Science Fiction'],
  clara: ['Cooking', 'Gardening', 'Travel'],
};

let demo: ChildProcess | undefined;
/** The demo's own folder for temporary files: other suites, which run at the same time, have theirs in the usual one. */
let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'tastegraph-demo-'));
  // For root, PostgreSQL runs as another user.
  await chmod(temporary, 0o755);
});
afterEach(async () => {
  demo?.kill('SIGINT');
  await rm(temporary, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
});

/** Runs the demo until its output contains `until` or it exits. */
async function startDemo(args: readonly string[], until?: string) {
  const child = spawn('npm', ['run', 'demo', '--', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: temporary },
  });
  demo = child;
  const exited = once(child, 'exit');
  const startedAt = performance.now();
  let output = '';
  const shown = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (until !== undefined && output.includes(until)) resolve();
    });
  });
  await Promise.race([shown, exited]);
  return { child, exited, output: () => output, ms: performance.now() - startedAt };
}

/** The rows of the table below the line that starts with `name`. */
function tableOf(output: string, name: string): string[] {
  const lines = output.split('\n');
  const start = lines.findIndex((line) => line.startsWith(name));
  const rows = lines.slice(start + 2);
  return rows.slice(0, rows.indexOf(''));
}

const leftovers = async () => (await readdir(temporary)).filter((name) => name.startsWith('tastegraph-'));

test(
  'the demo shows matching recommendations within the promised time, and leaves nothing behind',
  async () => {
    const { exited, output, ms } = await startDemo([]);
    const [code] = (await exited) as [number];
    expect(output()).toContain('Total time');
    expect(code).toBe(0);
    expect(ms).toBeLessThan(allowedMs);
    for (const [name, genres] of Object.entries(tastes)) {
      const rows = tableOf(output(), name);
      expect(rows).toHaveLength(5);
      // A fifth to a quarter of all books are of these genres.
      const matching = rows.filter((row) => genres.some((genre) => row.includes(genre)));
      expect(matching.length).toBeGreaterThanOrEqual(4);
    }
    expect(tableOf(output(), 'dora, ')).toHaveLength(5);
    for (const row of tableOf(output(), 'dora buys')) expect(row).toContain('Science Fiction');
    expect(await leftovers()).toEqual([]);
  },
  allowedMs + 30_000,
);

test(
  'with --keep, the printed calls work in a shell, and Ctrl-C ends the demo',
  async () => {
    const { child, exited, output } = await startDemo(['--keep'], '"limit": 3}\'\n');
    const commands = output().slice(output().indexOf('TOKEN='));
    const { stdout } = await promisify(execFile)('bash', ['-c', commands]);
    const response = JSON.parse(stdout) as { user_id: string; results: { item: { title: string } }[] };
    expect(response.user_id).toBe('anna');
    expect(response.results).toHaveLength(3);
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  },
  allowedMs + 30_000,
);
