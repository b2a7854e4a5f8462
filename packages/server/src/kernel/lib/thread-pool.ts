import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createLimiter, type Limiter, type LimiterOptions } from './limiter.ts';

/** What a task's module exports by default. Input and result are cloned, except for what is in `transfer`. */
export type ThreadTask<Input, Result> = (
  input: Input,
) => Promise<{ result: Result; transfer: ArrayBuffer[] }>;

/** What a thread answers to a task. */
export type TaskEnd = { readonly result: unknown } | { readonly error: unknown };

/** Far longer than any task takes. A thread that hangs would be lost to all callers. */
const maxTaskMs = 60_000;

/** Threads for long computations of calls, started when they are first needed. A limiter divides them among its keys. */
export class ThreadPool {
  readonly #limiter: Limiter;
  readonly #idle: Worker[] = [];

  /** `concurrency` is the number of threads. */
  constructor(options: LimiterOptions) {
    this.#limiter = createLimiter(options);
  }

  /** Runs the default export of a module, which is a `ThreadTask`. Moves `transfer` to the thread. */
  async run<Result>(
    module: URL,
    input: unknown,
    { key, transfer }: { readonly key: string; readonly transfer: ArrayBuffer[] },
  ): Promise<Result> {
    const end = await this.#limiter(
      () => this.#runOn(this.#idle.pop() ?? this.#start(), module, input, transfer),
      { key },
    );
    if ('error' in end) throw end.error;
    return end.result as Result;
  }

  async #runOn(worker: Worker, module: URL, input: unknown, transfer: ArrayBuffer[]): Promise<TaskEnd> {
    worker.ref();
    const timer = setTimeout(() => void worker.terminate(), maxTaskMs);
    const settled = new AbortController();
    const { signal } = settled;
    try {
      const ended = once(worker, 'exit', { signal }).then(() => {
        throw new Error('a thread ended without a result');
      });
      // Rejects if the thread fails.
      const answered = once(worker, 'message', { signal });
      worker.postMessage({ module: module.href, input }, transfer);
      const [end] = (await Promise.race([answered, ended])) as [TaskEnd];
      this.#idle.push(worker);
      // The process may end while the thread is idle.
      worker.unref();
      return end;
    } finally {
      clearTimeout(timer);
      settled.abort();
    }
  }

  #start(): Worker {
    const thread = new Worker(new URL('./task-thread.ts', import.meta.url));
    const forget = () => {
      const at = this.#idle.indexOf(thread);
      if (at !== -1) this.#idle.splice(at, 1);
    };
    thread.once('error', forget);
    thread.once('exit', forget);
    return thread;
  }
}
