import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { Guard } from './guard.ts';
import type { Account } from './run.ts';
import { settlesWithin } from './wait.ts';

export interface ServiceCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly guard: Guard;
  readonly account?: Account | undefined;
  readonly env?: NodeJS.ProcessEnv;
  /** Passed on stdin, where other users cannot see secrets. */
  readonly input?: string;
}

/** A signal, and how long to wait for the process to exit. */
export interface StopStep {
  readonly signal: NodeJS.Signals;
  readonly limitMs: number;
}

/** A child process that writes to a log. */
export interface Service {
  readonly pid: number;
  hasExited(): boolean;
  /** Sends the signals in order, and SIGKILL at the end. Returns when the process is gone. */
  stop(steps: readonly StopStep[]): Promise<void>;
}

export async function startService(options: ServiceCommand): Promise<Service> {
  const log = await open(options.logFile, 'a', 0o600);
  try {
    return await spawnService(options, log.fd);
  } finally {
    await log.close();
  }
}

async function spawnService(options: ServiceCommand, log: number): Promise<Service> {
  const { command, args, account, env, input, guard } = options;
  const child = spawn(command, args, {
    cwd: '/',
    // In its own session, so that Ctrl-C reaches only us and we can stop everything in order.
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', log, log],
    ...(env ? { env } : {}),
    ...(account ? { uid: account.uid, gid: account.gid } : {}),
  });
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      ended = true;
      guard.watch(undefined);
      resolve();
    });
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`Cannot start ${command}: ${error.message}`)));
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
  guard.watch(pid);
  child.stdin?.on('error', () => undefined).end(input);
  // A caller that forgets to stop the service can still exit; the guard then stops it.
  child.unref();
  return {
    pid,
    hasExited: () => ended,
    stop: async (steps) => {
      for (const { signal, limitMs } of [...steps, { signal: 'SIGKILL', limitMs: 10_000 } as const]) {
        if (ended) return;
        child.kill(signal);
        if (await settlesWithin(exited, limitMs)) return;
      }
      throw new Error(
        `Process ${pid} (${command}) does not exit. To see what it waits for, run: ps -o stat,wchan -p ${pid}`,
      );
    },
  };
}
