import { ObjectStoreError } from './error.ts';
import type { Limits } from './store.ts';

export interface StepLimits extends Limits {
  /** For one exchange with the store: a question and its answer, a block written, a chunk read. */
  readonly stepMs: number;
}

/**
 * Waits for one exchange with the store, at most its time and no longer than the caller wants. The work is told by its signal;
 * should it not listen (a disk that hangs cannot be called back), it is left behind.
 */
export async function step<T>(
  limits: StepLimits,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, stepMs } = limits;
  signal?.throwIfAborted();
  const ending = new AbortController();
  const timer = setTimeout(() => {
    ending.abort(new ObjectStoreError('unavailable', `${what}: not done within ${stepMs} ms`));
  }, stepMs);
  const cancel = () => ending.abort(signal?.reason);
  signal?.addEventListener('abort', cancel);
  try {
    return await unlessAborted(ending.signal, work(ending.signal));
  } catch (error) {
    // Work that listens ends with an error of its own making; why it was ended is what the caller must know.
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

/** What the work comes to, or the reason of the abort: work that waits for ever does not keep us. */
export function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const cancel = () => reject(signal.reason as Error);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
  return promise;
}
