import { execFile } from 'node:child_process';

/** The user to run a command as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface RunOptions {
  readonly limitMs: number;
  readonly account?: Account | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Outcome {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it failed; empty if ok. */
  readonly reason: string;
}

/** Runs a command and returns its outcome; never throws. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      {
        // The account may not be allowed to enter our current directory.
        cwd: options.cwd ?? '/',
        timeout: options.limitMs,
        killSignal: 'SIGKILL',
        maxBuffer: 16 * 1024 * 1024,
        ...(options.env ? { env: options.env } : {}),
        ...(options.signal ? { signal: options.signal } : {}),
        ...(options.account ? { uid: options.account.uid, gid: options.account.gid } : {}),
      },
      (error, stdout, stderr) => {
        resolve({
          ok: error === null,
          stdout,
          stderr,
          reason: error ? reasonOf(error, options.limitMs) : '',
        });
      },
    );
  });
}

function reasonOf(error: { code?: unknown; killed?: boolean; message: string }, limitMs: number): string {
  if (error.killed) return `timed out after ${limitMs / 1000} s`;
  return typeof error.code === 'number'
    ? `exit code ${error.code}`
    : (error.message.split('\n')[0] ?? 'failed');
}
