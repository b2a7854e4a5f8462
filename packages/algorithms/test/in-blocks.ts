import type { Executor } from '../src/index.ts';

/** Blocks from the last to the first, each prepared anew, as threads of any number would take them. */
export function inBlocks(block: number): Executor {
  return {
    run: (kernel, input, count) => {
      for (let from = Math.floor((count - 1) / block) * block; from >= 0; from -= block)
        kernel.prepare(input)(from, Math.min(from + block, count));
      return Promise.resolve();
    },
  };
}
