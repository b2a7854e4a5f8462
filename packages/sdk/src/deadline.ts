import type { Clock } from './clock.ts';

/** setTimeout fires immediately for longer delays, so no timer is set for them. */
const maxTimerMs = 2 ** 31 - 1;

/** The timeout of a call and the caller's signal. Unlike AbortSignal.timeout and any, it leaves no timer behind when the call is over. */
export class Deadline {
  readonly signal: AbortSignal;
  /** True if the timeout came before an abort by the caller. */
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
    const timer = timeoutMs <= maxTimerMs ? setTimeout(onTime, timeoutMs) : undefined;
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

/** Makes a promise abortable: rejects with the signal's reason if the signal aborts first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
