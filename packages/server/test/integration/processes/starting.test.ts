import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findFreePort } from '@tastegraph/dev';
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { cloneDatabase } from '../stack/database.ts';
import { startServer, thisMain } from '../stack/server-process.ts';

const script = resolve(import.meta.dirname, '../../../tastegraph-server');

interface End {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a command to its end. */
async function run(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  onStart?: (child: ChildProcess) => Promise<void>,
): Promise<End> {
  const child = spawn(command, args, { env: { PATH: process.env['PATH'], ...env } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const end = new Promise<End>((settle) => child.on('close', (code) => settle({ code, output })));
  await onStart?.(child);
  return end;
}

/** Empty if the process has ended. */
function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** The process that this one started, once it handles SIGTERM. */
async function findStoppableChild({ pid }: ChildProcess): Promise<number> {
  const sigterm = 1n << BigInt(constants.signals.SIGTERM - 1);
  for (;;) {
    const child = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const status = child === '' ? '' : statusOf(child);
    const handled = /^SigCgt:\s*(\w+)/m.exec(status)?.[1] ?? '0';
    if (/^Name:\s*(sh|dash|tastegraph-serv)/m.test(status) && (BigInt(`0x${handled}`) & sigterm) !== 0n)
      return Number(child);
    await setTimeout(1);
  }
}

// Not the template: a server that does not end would keep all other files from copying it.
const database = await cloneDatabase();
afterAll(() => database.drop());

const settings = {
  DATABASE_URL: database.url,
  OBJECTS_URL: 'file:///tmp/tastegraph-unused',
  OWNER_EMAIL: 'none',
};

const stackLine = /^\s+at /m;

/** Loaded first: sends the process SIGTERM when it begins to load the code of its role. */
const stopWhileLoading = `data:text/javascript,import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (url.endsWith('/processes/api.ts')) process.kill(process.pid, 'SIGTERM');
  return next(url, context);
} });`.replaceAll('\n', ' ');

/** Runs the server as the first process of a container, which has no default for signals. It sees its own processes only. */
const asFirst = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];

describe('a server that starts', () => {
  test('as the first process of a container ends on SIGTERM while it still loads', async () => {
    const env = {
      ...settings,
      PORT: String(await findFreePort()),
      NODE_OPTIONS: `--import "${stopWhileLoading}"`,
    };
    const { code } = await run('unshare', [...asFirst, process.execPath, thisMain, 'api'], env);
    // 0 if it had opened something by then, and closed it.
    expect([0, 128 + constants.signals.SIGTERM]).toContain(code);
  });

  test('as the first process of a container ends on SIGTERM before Node handles it', async () => {
    const env = { ...settings, PORT: String(await findFreePort()) };
    // At different moments: while the shell asks Node whether it has an option, and while Node starts.
    for (let round = 0; round < 20; round++) {
      const { code } = await run('unshare', [...asFirst, script, 'api'], env, async (child) => {
        const shell = await findStoppableChild(child);
        await setTimeout(round * 10);
        process.kill(shell, 'SIGTERM');
      });
      expect([0, 128 + constants.signals.SIGTERM]).toContain(code);
    }
  });

  test('as the first process of a container passes on its exit code', async () => {
    const { code, output } = await run('unshare', [...asFirst, script, 'nonsense'], settings);
    expect({ code, isUsage: output.includes('Usage') }).toEqual({ code: 2, isUsage: true });
  });

  test('on a port that is taken says which, and what to set', async () => {
    await using first = await startServer('api', settings);
    const { code, output } = await run(process.execPath, [thisMain, 'api'], {
      ...settings,
      PORT: String(first.port),
    });
    expect(code).toBe(1);
    expect(output).toContain(`Port ${first.port} is in use`);
    expect(output).not.toMatch(stackLine);
  });

  test('does not use memory protection keys, with which V8 may end a process that trains', async () => {
    const tell = 'data:text/javascript,console.log(process.execArgv)';
    const { output } = await run(script, ['--version'], { NODE_OPTIONS: `--import "${tell}"` });
    expect(output).toContain("'--no-memory-protection-keys'");
  });

  test('with a Node that is too old says which one is needed', async () => {
    const pretend =
      "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.19.2' })";
    const { code, output } = await run(script, ['api'], { NODE_OPTIONS: `--import "${pretend}"` });
    expect({ code, lines: output.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
    expect(output).toContain('20.19.2');
  });
});

describe('a migration that fails', () => {
  test.each([
    ['with a wrong password', (url: URL) => Object.assign(url, { username: 'nobody', password: 'wrong' })],
    ['without a server', (url: URL) => Object.assign(url, { host: '127.0.0.1:1', search: '' })],
  ])('%s says what to check, without a stack trace', async (_, change) => {
    const url = change(new URL(inject('templateUrl')));
    const { code, output } = await run(process.execPath, [thisMain, 'migrate'], { DATABASE_URL: url.href });
    expect(code).toBe(1);
    expect(output).toContain('DATABASE_URL');
    expect(output).not.toMatch(stackLine);
  });
});
