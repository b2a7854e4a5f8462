import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';

/**
 * A shell that waits on a pipe from us. The kernel closes the pipe however we end (exit, exception, Ctrl-C, SIGKILL),
 * and then the guard ends the service and removes its temporary directory. It is one mechanism for every way to end, and it
 * needs no signal handlers in whoever uses the library.
 */
export interface Guard {
  /** The process to end; undefined when it has ended. */
  watch(pid: number | undefined): void;
  /** Nothing is left to guard. */
  dismiss(): void;
}

const SCRIPT = join(import.meta.dirname, 'guard.sh');

/** `signals`: from the polite to the firm, without SIG; KILL follows by itself. */
export function startGuard(signals: readonly string[], temporaryDirectory?: string): Guard {
  const shell = spawn('/bin/sh', [SCRIPT, temporaryDirectory ?? '', ...signals], {
    cwd: '/',
    // Its own session: Ctrl-C in the terminal must not reach it before it has done its work.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a guard all works but the cleaning after a SIGKILL, so its failure is no failure of the service.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // A child's pipe is a socket, though typed as a stream only: it must not keep our process alive either.
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return {
    watch: (pid) => void shell.stdin.write(`pid ${pid ?? ''}\n`),
    dismiss: () => void shell.stdin.end('done\n'),
  };
}
