import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { findFreePort } from '@tastegraph/dev';
import { expect } from 'vitest';

/** The server as a process, with its output and how it ends. */
export interface ServerProcess extends AsyncDisposable {
  readonly baseUrl: string;
  readonly port: number;
  readonly pid: number;
  /** Its stdout and stderr so far. */
  output(): string;
  /** Closes its stdout, as if the reader of its log had ended. */
  closeOutput(): void;
  signal(signal: NodeJS.Signals): void;
  hasExited(): boolean;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** This version's entry point. */
export const thisMain = resolve(import.meta.dirname, '../../../src/main.ts');

/** Takes seconds, even on a machine with a load of twenty. */
const startLimitMs = 60_000;

/** With its own folder for objects, unless another is given; `main`: another version's entry point. */
export async function startServer(
  command: string,
  env: Readonly<Record<string, string>>,
  main = thisMain,
): Promise<ServerProcess> {
  const port = Number(env['PORT'] ?? (await findFreePort()));
  const objects = await mkdtemp(join(tmpdir(), 'tastegraph-objects-'));
  // With the option of tastegraph-server that matters for trainings.
  const child = spawn(process.execPath, ['--no-memory-protection-keys', main, command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: String(port),
      OBJECTS_URL: pathToFileURL(objects).href,
      // Tests create their own accounts.
      OWNER_EMAIL: 'none',
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const ended = new Promise<number | NodeJS.Signals | null>((settle) => {
    child.on('close', (code, signal) => settle(code ?? signal));
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (!hasExited()) child.kill('SIGKILL');
    await ended;
    await rm(objects, { recursive: true, force: true });
  };
  for (const end = performance.now() + startLimitMs; ; ) {
    if (command === 'worker' ? output.includes('the worker is running') : await isReady(baseUrl)) break;
    if (hasExited() || performance.now() > end) {
      await stop();
      throw new Error(`The server did not become ready. ${output}`);
    }
    await sleep(20);
  }
  return {
    baseUrl,
    port,
    pid: child.pid ?? 0,
    output: () => output,
    closeOutput: () => void child.stdout.destroy(),
    signal: (signal) => child.kill(signal),
    hasExited,
    ended,
    [Symbol.asyncDispose]: stop,
  };
}

export async function isReady(baseUrl: string): Promise<boolean> {
  const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok ?? false;
}

/** Waits for the text: a process may log what it did after others have seen it. */
export const expectLogged = (server: ServerProcess, text: string) =>
  expect.poll(() => server.output(), { timeout: 20_000 }).toContain(text);
