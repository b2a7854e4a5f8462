import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { lowerPriority } from '../../kernel/lib/lower-priority.ts';
import { type FromThread, niceness, outcomeOf, type ThreadContext } from './thread-work.ts';

/**
 * Runs the work of a process started with `runChild`, and ends with one message about the outcome. The type of the task
 * is agreed between both sides, as for `runThreadWork`.
 */
export async function runChildWork<Result>(
  work: (task: never, context: ThreadContext) => Promise<Result>,
): Promise<void> {
  // A signal to all processes of the service: the parent decides what becomes of the job.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.exit());
  endWithParent();
  dieFirst();
  lowerPriority(niceness);
  const end = new AbortController();
  const task = await new Promise((resolve) => process.once('message', resolve));
  // Any further message means: stop.
  process.on('message', () => end.abort(new Error('the work was stopped')));
  const post = (message: FromThread<Result>) =>
    new Promise((resolve) => process.send?.(message, undefined, undefined, resolve));
  await post(await outcomeOf(work, task, end.signal, (message) => void post(message)));
  process.disconnect();
}

/** 'disconnect' comes too late if this thread never ends what it does. */
function endWithParent(): void {
  const code = `const parent = process.ppid;
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);`;
  new Worker(code, { eval: true }).unref();
}

/** When the memory of the machine or the container is full, Linux kills this process before the worker. */
function dieFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not Linux.
  }
}
