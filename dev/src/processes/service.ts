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
  /** Given on standard input, where secrets are seen by nobody else. */
  readonly input?: string;
}

/** A signal, and how long it may take to end the process. */
export interface EndStep {
  readonly signal: NodeJS.Signals;
  readonly limitMs: number;
}

/** A running child whose output goes to a log. */
export interface Service {
  readonly pid: number;
  readonly exited: Promise<void>;
  hasExited(): boolean;
  /** Sends the signals in turn, each with its time, and SIGKILL at last; returns when the process is gone. */
  end(steps: readonly EndStep[]): Promise<void>;
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
    // Its own session, so that Ctrl-C in the terminal reaches only us and we end things in their order.
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
  // Who forgets to stop a service can still exit; the guard then ends it.
  child.unref();
  return {
    pid,
    exited,
    hasExited: () => ended,
    end: async (steps) => {
      for (const { signal, limitMs } of [...steps, { signal: 'SIGKILL', limitMs: 10_000 } as const]) {
        if (ended) return;
        child.kill(signal);
        if (await settlesWithin(exited, limitMs)) return;
      }
      throw new Error(
        `Process ${pid} (${command}) does not end. See what it waits for with: ps -o stat,wchan -p ${pid}`,
      );
    },
  };
}
