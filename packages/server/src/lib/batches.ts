import { DeadlineExceededError } from './within.ts';

interface Waiting<Input, Output> {
  readonly input: Input;
  /** When the caller gives up, by `performance.now()`. */
  readonly endMs: number;
  readonly resolve: (output: Output) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatchOptions {
  /** Concurrent batches. */
  readonly maxInFlight: number;
  /** Inputs per batch. */
  readonly maxSize: number;
  /** Inputs that may wait for a batch. Further ones are rejected at once with `DeadlineExceededError`. */
  readonly maxWaiting: number;
  /** A limit shared with other batches. By default each batch runs at once. */
  readonly limiter?: (run: () => Promise<void>) => Promise<void>;
}

/**
 * Coalesces calls made in the same event-loop tick; while `maxInFlight` batches are running, further calls queue for the next
 * batch. So calls do not wait under low load, and the cost per call falls as the load rises. `work` returns its outputs in the
 * order of the inputs; if it fails, all calls of the batch fail.
 *
 * A caller that passes `endMs` gives up at that time. Its input is dropped when the next batch is formed, so that after a
 * stall no work is done for callers that are gone.
 */
export function createBatcher<Input, Output>(
  { maxInFlight, maxSize, maxWaiting, limiter = (run) => run() }: BatchOptions,
  work: (inputs: Input[]) => Promise<readonly Output[]>,
): (input: Input, endMs?: number) => Promise<Output> {
  let waiting: Waiting<Input, Output>[] = [];
  let inFlight = 0;
  /** Batches in flight that start in the next tick, and so take the inputs that are waiting now. */
  let starting = 0;

  const dropExpired = () => {
    const now = performance.now();
    const expired = waiting.filter(({ endMs }) => endMs <= now);
    if (expired.length === 0) return;
    waiting = waiting.filter(({ endMs }) => endMs > now);
    for (const { reject } of expired) reject(new DeadlineExceededError('timed out before the batch started'));
  };

  const runBatch = async () => {
    dropExpired();
    const batch = waiting.splice(0, maxSize);
    if (batch.length === 0) return;
    try {
      const outputs = await work(batch.map(({ input }) => input));
      for (const [index, { resolve }] of batch.entries()) resolve(outputs[index] as Output);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const runBatches = async () => {
    starting--;
    while (waiting.length > 0) {
      try {
        await limiter(runBatch);
      } catch (error) {
        // The limiter refused, so all waiting calls fail.
        for (const { reject } of waiting.splice(0)) reject(error);
      }
    }
    inFlight--;
  };

  return (input, endMs = Number.POSITIVE_INFINITY) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) dropExpired();
      if (waiting.length >= maxWaiting) {
        reject(new DeadlineExceededError(`the queue is full: ${maxWaiting} are waiting`));
        return;
      }
      waiting.push({ input, endMs, resolve, reject });
      if (inFlight === maxInFlight || starting * maxSize >= waiting.length) return;
      inFlight++;
      starting++;
      setImmediate(() => void runBatches());
    });
}
