/** Milliseconds of sliced work per iteration of the event loop. A request may wait for a few such iterations. */
const sliceMs = 1;

/** Works until about `endMs` (of `performance.now()`). Returns true when everything is done. */
type SliceOfWork = (endMs: number) => boolean;

/** One caller's time on the main thread, for asynchronous work that checks `isOver` between its steps. */
export interface Slice {
  isOver(): boolean;
  /** Resolves when the caller may continue, in a later iteration of the event loop. */
  next(): Promise<void>;
}

/** For a thread that does nothing else. */
export const unsliced: Slice = { isOver: () => false, next: () => Promise.resolve() };

interface Task {
  readonly slice: SliceOfWork;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs long synchronous work without blocking the event loop: in slices, one round per iteration of the loop, so that requests
 * and timers run in between. Tenants take turns, so the work of one delays that of another by one slice per round.
 */
export class Slices {
  /** Tenants that have work, in the order of their turns. */
  readonly #queues = new Map<string, Task[]>();
  /** Time used in the current iteration of the event loop. */
  #spentMs = 0;
  #isScheduled = false;

  /** Resolves when a slice returns true; rejects if one throws. Short work runs at once if no other work is queued. */
  async run(tenant: string, slice: SliceOfWork): Promise<void> {
    if (this.#queues.size === 0 && this.#spentMs < sliceMs && this.#runSlice(slice)) return;
    await this.#enqueue(tenant, slice);
  }

  /** For asynchronous work, which checks the time itself. */
  start(tenant: string): Slice {
    let end = performance.now() + sliceMs;
    return {
      isOver: () => performance.now() >= end,
      next: async () => {
        await this.#enqueue(tenant, () => {
          // The caller continues after this callback, so no other slice may start in this iteration.
          this.#spentMs = sliceMs;
          return true;
        });
        end = performance.now() + sliceMs;
      },
    };
  }

  async forEach<T>(tenant: string, all: Iterable<T>, visit: (one: T) => void): Promise<void> {
    const iterator = all[Symbol.iterator]();
    await this.run(tenant, (endMs) => {
      for (;;) {
        const next = iterator.next();
        if (next.done) return true;
        visit(next.value);
        if (performance.now() >= endMs) return false;
      }
    });
  }

  async #enqueue(tenant: string, slice: SliceOfWork): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(tenant) ?? [];
      queue.push({ slice, resolve, reject });
      this.#queues.set(tenant, queue);
      this.#schedule();
    });
  }

  #runSlice(slice: SliceOfWork): boolean {
    const startedAt = performance.now();
    try {
      return slice(startedAt + sliceMs - this.#spentMs);
    } finally {
      this.#spentMs += performance.now() - startedAt;
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runRound());
  }

  #runRound(): void {
    this.#isScheduled = false;
    this.#spentMs = 0;
    for (const [tenant, queue] of this.#queues) {
      this.#queues.delete(tenant);
      const task = queue.shift();
      if (task && !this.#isFinished(task)) queue.push(task);
      // Re-inserted at the end, so that the other tenants come next.
      if (queue.length > 0) this.#queues.set(tenant, queue);
      if (this.#spentMs >= sliceMs) break;
    }
    if (this.#queues.size > 0) this.#schedule();
  }

  #isFinished(task: Task): boolean {
    try {
      if (!this.#runSlice(task.slice)) return false;
      task.resolve();
    } catch (error) {
      task.reject(error);
    }
    return true;
  }
}

/** Shared by the whole process, because it has one event loop. */
export const slices = new Slices();
