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

/** For batches that mix inputs of groups which must not wait for each other's slow batches. */
export interface BatchGroups<Input> {
  readonly of: (input: Input) => unknown;
  /** Concurrent batches with inputs of one group; its further inputs wait. */
  readonly maxInFlight: number;
  /** A batch that runs longer makes room for another one. Until it ends, its groups share no batch: any of them may be slow. */
  readonly slowMs: number;
}

/**
 * Coalesces calls made in the same event-loop tick; while `maxInFlight` batches are running, further calls queue for the next
 * batch. So calls do not wait under low load, and the cost per call falls as the load rises. `work` returns its outputs in the
 * order of the inputs; if it fails, all calls of the batch fail, and if an output is a promise that fails, that call.
 *
 * A caller that passes `endMs` gives up at that time. Its input is dropped when the next batch is formed, so that after a
 * stall no work is done for callers that are gone.
 */
export function createBatcher<Input, Output>(
  { maxInFlight, maxSize, maxWaiting, limiter = (run) => run() }: BatchOptions,
  work: (inputs: Input[]) => Promise<readonly (Output | Promise<Output>)[]>,
  groups?: BatchGroups<NoInfer<Input>>,
): (input: Input, endMs?: number) => Promise<Output> {
  let waiting: Waiting<Input, Output>[] = [];
  /** Without slow batches. */
  let inFlight = 0;
  /** Batches in flight that start in the next tick, and so take the inputs that are waiting now. */
  let starting = 0;
  /** By group, the batches in flight that contain it, without slow ones of several groups. */
  const busy = new Map<unknown, number>();
  /** By group, the slow batches of several groups that contain it. */
  const suspects = new Map<unknown, number>();

  const dropExpired = () => {
    const now = performance.now();
    const expired = waiting.filter(({ endMs }) => endMs <= now);
    if (expired.length === 0) return;
    waiting = waiting.filter(({ endMs }) => endMs > now);
    for (const { reject } of expired) reject(new DeadlineExceededError('timed out before the batch started'));
  };

  /** The next inputs, but for those of groups that have enough batches in flight. */
  const takeReady = () => {
    if (!groups || busy.size + suspects.size === 0) return waiting.splice(0, maxSize);
    const groupOf = ({ input }: Waiting<Input, Output>) => groups.of(input);
    const isReady = (group: unknown) => (busy.get(group) ?? 0) < groups.maxInFlight;
    const first = waiting.find((entry) => isReady(groupOf(entry)));
    if (!first) return [];
    const lead = groupOf(first);
    const fits = suspects.has(lead)
      ? (group: unknown) => group === lead
      : (group: unknown) => isReady(group) && !suspects.has(group);
    const batch: Waiting<Input, Output>[] = [];
    waiting = waiting.filter((entry) => {
      const isTaken = batch.length < maxSize && fits(groupOf(entry));
      if (isTaken) batch.push(entry);
      return !isTaken;
    });
    return batch;
  };

  const runBatch = async (onSlow: () => void): Promise<boolean> => {
    dropExpired();
    const batch = takeReady();
    if (batch.length === 0) return false;
    const inputs = batch.map(({ input }) => input);
    const groupsInside = new Set(groups ? inputs.map(groups.of) : []);
    let counted = busy;
    count(counted, groupsInside, 1);
    const slow =
      groups &&
      setTimeout(() => {
        if (groupsInside.size > 1) {
          count(busy, groupsInside, -1);
          counted = suspects;
          count(counted, groupsInside, 1);
        }
        onSlow();
      }, groups.slowMs);
    try {
      const outputs = await work(inputs);
      for (const [index, { resolve }] of batch.entries()) resolve(outputs[index] as Output);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      clearTimeout(slow);
      count(counted, groupsInside, -1);
    }
    return true;
  };

  const runBatches = async () => {
    starting--;
    const state = { isSlow: false, isMore: true };
    const onSlow = () => {
      state.isSlow = true;
      inFlight--;
      startBatch();
    };
    while (waiting.length > 0 && state.isMore && !state.isSlow) {
      try {
        await limiter(async () => {
          state.isMore = await runBatch(onSlow);
        });
      } catch (error) {
        // The limiter refused, so all waiting calls fail.
        for (const { reject } of waiting.splice(0)) reject(error);
      }
    }
    if (!state.isSlow) inFlight--;
    // Its groups may have been waiting for it.
    else startBatch();
  };

  const startBatch = () => {
    if (inFlight >= maxInFlight || starting * maxSize >= waiting.length) return;
    inFlight++;
    starting++;
    setImmediate(() => void runBatches());
  };

  return (input, endMs = Number.POSITIVE_INFINITY) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= maxWaiting) dropExpired();
      if (waiting.length >= maxWaiting) {
        reject(new DeadlineExceededError(`the queue is full: ${maxWaiting} are waiting`));
        return;
      }
      waiting.push({ input, endMs, resolve, reject });
      startBatch();
    });
}

function count(counts: Map<unknown, number>, of: ReadonlySet<unknown>, change: 1 | -1): void {
  for (const group of of) {
    const sum = (counts.get(group) ?? 0) + change;
    if (sum > 0) counts.set(group, sum);
    else counts.delete(group);
  }
}
