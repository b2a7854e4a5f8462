import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { JobError, TransientJobError } from './job-error.ts';
import type { AttemptContext } from './run-jobs.ts';
import type { FromThread } from './thread-work.ts';

/** A child that has not stopped by then is in a long calculation, and is killed. */
const graceMs = 2000;
/** It may wait for the database or the object store; a child silent for this long hangs. */
const maxSilenceMs = 30 * 60_000;
/** How often its memory and CPU time are read: it can fill about 100 MiB in this time. */
const watchMs = 100;
/** The rest is for what is outside of V8's heap. */
const heapShare = 0.75;
const mebibyte = 2 ** 20;

export interface ChildLimits {
  readonly memoryBytes: number;
  /** CPU time without a message. */
  readonly cpuSeconds: number;
}

/** `died`: by itself, for example because it crashed. */
export type ChildEnd = 'memory' | 'cpu' | 'died';

/** The data that a child read ended it: the worker itself and its other jobs go on. */
export class ChildKilledError extends Error {
  override readonly name = 'ChildKilledError';
  readonly end: ChildEnd;

  constructor(end: ChildEnd, detail: string) {
    super(`the child process ended (${end}): ${detail}`);
    this.end = end;
  }
}

/**
 * Runs work on data of strangers in a process of its own, whose memory and CPU time are limited. Its script calls
 * `runChildWork`. The task must be structured-cloneable. Settles only after the process has ended.
 */
export async function runChild<Result>(
  script: URL,
  limits: ChildLimits,
  task: object,
  { signal, report }: AttemptContext,
): Promise<Result> {
  signal.throwIfAborted();
  const heapMegabytes = Math.floor((limits.memoryBytes * heapShare) / mebibyte);
  const child = fork(script, {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let outcome: FromThread<Result> | undefined;
  let exceeded: ChildEnd | undefined;
  let stderr = '';
  const usage = new Usage(child, limits);
  const kill = (end: ChildEnd) => {
    exceeded ??= end;
    child.kill('SIGKILL');
  };
  const watching = setInterval(() => {
    const end = usage.exceeded();
    if (end) kill(end);
  }, watchMs);
  let timer: NodeJS.Timeout | undefined;
  const killAfter = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => child.kill('SIGKILL'), ms);
  };
  const stop = () => {
    child.send('stop', () => undefined);
    killAfter(graceMs);
  };
  child.stderr?.on('data', (text: Buffer) => (stderr = (stderr + text.toString()).slice(-4000)));
  child.on('message', (message: FromThread<Result>) => {
    usage.restart();
    if (!('progress' in message)) outcome = message;
    else if (!signal.aborted) {
      killAfter(maxSilenceMs);
      report(message.progress.stage, message.progress.fraction, message.progress.message);
    }
  });
  killAfter(maxSilenceMs);
  signal.addEventListener('abort', stop);
  // Its end is what tells whether it took the task.
  child.send(task, () => undefined);
  let killedBy: NodeJS.Signals | null;
  try {
    killedBy = await untilEnded(child);
  } finally {
    clearInterval(watching);
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  if (exceeded) throw new ChildKilledError(exceeded, stderr);
  if (outcome && 'done' in outcome) return outcome.done;
  if (outcome && 'failed' in outcome) throw new JobError(outcome.failed.code, outcome.failed.message);
  if (outcome && 'outOfMemory' in outcome) throw new ChildKilledError('memory', stderr);
  if (outcome && 'transient' in outcome)
    throw new TransientJobError(outcome.transient, new Error(outcome.stack));
  // A signal to all processes of the service came before the one to stop.
  if (killedBy === 'SIGTERM' || killedBy === 'SIGINT' || killedBy === 'SIGHUP')
    throw new TransientJobError('WORKER_LOST');
  // What V8 does when its heap is full.
  throw new ChildKilledError(killedBy === 'SIGABRT' ? 'memory' : 'died', `${killedBy ?? ''} ${stderr}`);
}

/** Until its messages have arrived as well. Resolves to the signal that killed it. */
async function untilEnded(child: ChildProcess): Promise<NodeJS.Signals | null> {
  const disconnected = new Promise((resolve) => child.once('disconnect', resolve));
  const killedBy = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (_, signal) => resolve(signal));
  });
  if (child.connected) await disconnected;
  return killedBy;
}

/** Linux counts CPU time in hundredths of a second, on every processor. */
const ticksPerSecond = 100;

/** What a process uses, from Linux's /proc. On other systems, only V8's heap is limited. */
class Usage {
  readonly #child: ChildProcess;
  readonly #limits: ChildLimits;
  #startSeconds = Number.POSITIVE_INFINITY;
  #restarts = false;

  constructor(child: ChildProcess, limits: ChildLimits) {
    this.#child = child;
    this.#limits = limits;
  }

  /** Counts CPU time from the next look on. Until the first call, the child only loads code of ours. */
  restart(): void {
    this.#restarts = true;
  }

  exceeded(): 'memory' | 'cpu' | undefined {
    try {
      const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(this.#read('status'))?.[1];
      if (Number(kilobytes) * 1024 > this.#limits.memoryBytes) return 'memory';
      // After the name of the program, which may contain anything: utime and stime are the 12th and 13th of them.
      const [, , , , , , , , , , , user, system] = this.#read('stat').split(') ').at(-1)?.split(' ') ?? [];
      const seconds = (Number(user) + Number(system)) / ticksPerSecond;
      if (this.#restarts) this.#startSeconds = seconds;
      this.#restarts = false;
      return seconds - this.#startSeconds > this.#limits.cpuSeconds ? 'cpu' : undefined;
    } catch {
      // It has ended, or this is not Linux.
      return undefined;
    }
  }

  #read(file: string): string {
    return readFileSync(`/proc/${this.#child.pid}/${file}`, 'latin1');
  }
}
