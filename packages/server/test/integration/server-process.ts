import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '@tastegraph/dev';

/** The server as it is run, with all that it writes and how it ends. */
export interface ServerProcess extends AsyncDisposable {
  readonly baseUrl: string;
  readonly port: number;
  readonly pid: number;
  /** All of its stdout and stderr so far. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  /** How it ended: its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

const main = resolve(import.meta.dirname, '../../src/main.ts');

/** With a folder of its own for objects, unless it is told another. */
export async function startServer(
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const port = await findFreePort();
  const objects = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
  const child = spawn(process.execPath, [main, command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], PORT: String(port), OBJECTS_URL: pathToFileURL(objects).href, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const ended = new Promise<number | NodeJS.Signals | null>((settle) => {
    child.on('close', (code, signal) => settle(code ?? signal));
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  for (const end = performance.now() + 30_000; ; ) {
    if (command === 'worker' ? output.includes('the worker is running') : await isReady(baseUrl)) break;
    if (isOver() || performance.now() > end) throw new Error(`The server did not become ready. ${output}`);
    await sleep(20);
  }
  return {
    baseUrl,
    port,
    pid: child.pid ?? 0,
    output: () => output,
    signal: (signal) => child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      if (!isOver()) child.kill('SIGKILL');
      await ended;
      await rm(objects, { recursive: true, force: true });
    },
  };
}

async function isReady(baseUrl: string): Promise<boolean> {
  const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}
