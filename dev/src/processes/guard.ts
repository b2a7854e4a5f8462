import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';

/**
 * A shell that reads from a pipe. The kernel closes the pipe however our process ends (exit, exception, Ctrl-C,
 * SIGKILL); the guard then stops the service and removes its temporary directory. No signal handlers are needed.
 */
export interface Guard {
  /** The process to stop; undefined if it has exited. */
  watch(pid: number | undefined): void;
  /** Nothing is left to guard. */
  dismiss(): void;
}

const SCRIPT = join(import.meta.dirname, 'guard.sh');

/** `signals` are the signals to send, gentlest first, without SIG. KILL always follows. */
export function startGuard(signals: readonly string[], temporaryDirectory?: string): Guard {
  const shell = spawn('/bin/sh', [SCRIPT, temporaryDirectory ?? '', ...signals], {
    cwd: '/',
    // In its own session, so that Ctrl-C does not stop the guard.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a guard only the cleanup after SIGKILL is missing, so its errors are ignored.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // The pipe is a socket, although typed as a stream. It must not keep our process alive either.
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return {
    watch: (pid) => void shell.stdin.write(`pid ${pid ?? ''}\n`),
    dismiss: () => void shell.stdin.end('done\n'),
  };
}
