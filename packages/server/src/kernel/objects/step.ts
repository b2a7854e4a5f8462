import { DeadlineExceededError, within } from '../lib/within.ts';
import { ObjectStoreError } from './error.ts';
import type { Limits } from './store.ts';

export interface StepLimits extends Limits {
  /** Time limit for one exchange with the store: a request and its response, a block written, a chunk read. */
  readonly stepMs: number;
}

/** Runs one exchange within `stepMs` and until the caller aborts. Work that ignores the signal (a hung disk) is abandoned. */
export async function step<T>(
  limits: StepLimits,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, stepMs } = limits;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const cancel = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', cancel);
  try {
    return await within(stepMs, unlessAborted(controller.signal, work(controller.signal)));
  } catch (error) {
    if (error instanceof DeadlineExceededError)
      controller.abort(new ObjectStoreError('unavailable', `${what}: no response within ${stepMs} ms`));
    // Aborted work may throw its own error; the caller needs the reason for the abort.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

/** The result of the work, or the abort reason as soon as the signal fires, even if the work never ends. */
export function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const cancel = () => reject(signal.reason as Error);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
  return promise;
}
