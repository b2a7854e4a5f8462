import { ApiError } from '../http/api-error.ts';
import { DeadlineExceededError, within } from '../kernel/lib/within.ts';

/** The deadline of one recommendation call, and how long each step took. */
export class CallClock {
  readonly deadlineMs: number;
  /** By `performance.now()`. */
  readonly endMs: number;
  readonly #steps: [step: string, ms: number][] = [];

  constructor(deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    this.endMs = performance.now() + deadlineMs;
  }

  readonly leftMs = (): number => this.endMs - performance.now();

  /** Times a step that has its own time limit. */
  async time<T>(step: string, work: Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work;
    } finally {
      this.record(step, start);
    }
  }

  /** Records a step that began at `startMs` (by `performance.now()`) and ends now. */
  record(step: string, startMs: number): void {
    this.#steps.push([step, performance.now() - startMs]);
  }

  /** Times a step, and throws `DeadlineExceededError` after a share of the call's remaining time. */
  within<T>(step: string, work: Promise<T>, share = 1): Promise<T> {
    return this.time(step, within(this.leftMs() * share, work));
  }

  /** Turns a `DeadlineExceededError` into the caller's error; returns any other error unchanged. */
  explain(error: unknown): unknown {
    if (!(error instanceof DeadlineExceededError)) return error;
    const steps = this.#steps.map(([step, ms]) => `${step} ${Math.round(ms)} ms`).join(', ');
    return new ApiError(
      'UNAVAILABLE',
      `The call did not finish within its deadline of ${this.deadlineMs} ms. Try again. If the problem persists, the service is overloaded: the operator can raise SERVING_DEADLINE_MS or add serving processes.`,
      { retryAfterSeconds: 1, cause: new DeadlineExceededError(`steps: ${steps}`, { cause: error }) },
    );
  }
}
