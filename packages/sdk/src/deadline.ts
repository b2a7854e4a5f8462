import type { Clock } from './clock.ts';

/** setTimeout fires at once for anything longer, so that no timer is the truer meaning. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * The end of a call: its time limit and its caller's signal in one signal. Made by hand rather than by
 * AbortSignal.timeout and .any, whose timers run on for their full length after the call is over.
 */
export class Deadline {
  readonly signal: AbortSignal;
  /** True when time ran out before the caller aborted. */
  expired = false;
  readonly #endsAt: number;
  readonly #clock: Clock;
  readonly #dispose: () => void;

  constructor(timeoutMs: number, clock: Clock, outer?: AbortSignal) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#clock = clock;
    this.#endsAt = clock.now() + timeoutMs;
    const onAbort = () => controller.abort(outer?.reason);
    const onTime = () => {
      this.expired = !controller.signal.aborted;
      controller.abort();
    };
    const timer = timeoutMs <= longestTimerMs ? setTimeout(onTime, timeoutMs) : undefined;
    if (outer?.aborted) onAbort();
    outer?.addEventListener('abort', onAbort, { once: true });
    this.#dispose = () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onAbort);
    };
  }

  remainingMs(): number {
    return this.#endsAt - this.#clock.now();
  }

  dispose(): void {
    this.#dispose();
  }
}

/** The promise's outcome, or the signal's reason if that comes first; for promises that do not heed a signal. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
