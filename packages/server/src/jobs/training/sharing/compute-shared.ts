import {
  blockOf,
  bytesAt,
  type Executor,
  runWindow,
  type Scratch,
  type WindowedWork,
} from '@tastegraph/algorithms';
import type { Exchange } from './exchange.ts';

/** Computes all windows in this process. */
export async function computeLocally<Input extends Scratch>(
  work: WindowedWork<Input>,
  executor: Executor,
  signal: AbortSignal,
): Promise<void> {
  for (let window = 0; window < work.windows; window++) {
    signal.throwIfAborted();
    await runWindow(work, window, executor);
  }
}

/**
 * Computes windows while helpers compute others. Never waits for the store or for the database while there is something to
 * compute here, and for a helper or for a step of the store at most about twice as long as a window takes here.
 */
export async function computeShared<Input extends Scratch>(
  work: WindowedWork<Input>,
  executor: Executor,
  exchange: Exchange,
  signal: AbortSignal,
): Promise<void> {
  /** Windows without a result. */
  const open = new Set(Array.from({ length: work.windows }, (_, window) => window));
  let next = 0;
  let longestMs = 0;
  while (open.size > 0) {
    signal.throwIfAborted();
    for (const { window, writes, bytes } of exchange.collect()) {
      if (!open.delete(window)) continue;
      let at = 0;
      for (const range of writes) {
        bytesAt(work.memory, range).set(bytes.subarray(at, at + range.bytes));
        at += range.bytes;
      }
      await work.take(window);
    }
    // The last window is always computed here, which tells how long one takes.
    while (next < work.windows - 1 && exchange.hasRoom()) {
      exchange.offer(next, blockOf(work, await work.place(next)));
      next++;
    }
    const window = next < work.windows ? next++ : await exchange.claimBack(open, 2 * longestMs);
    if (window === undefined) {
      if (open.size > 0) await exchange.changed();
      continue;
    }
    const start = performance.now();
    await runWindow(work, window, executor);
    longestMs = Math.max(longestMs, performance.now() - start);
    open.delete(window);
  }
}
