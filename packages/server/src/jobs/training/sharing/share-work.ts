import type { Executor, Scratch, Sharing, WindowedWork } from '@tastegraph/algorithms';
import { countOtherWorkers } from '../../../storage/postgres/training-blocks.ts';
import { computeLocally, computeShared } from './compute-shared.ts';
import { Exchange, type SharingContext } from './exchange.ts';

/** So many that workers of different speed end together, and so few that reading and writing them costs little. */
const blocksPerStage = 48;

/**
 * Runs kernels as `executor` does, but lets other workers compute windows of large work. The result is the same to the
 * byte. Whatever fails between the workers, the windows are then computed here.
 */
export function shareWork(executor: Executor, context: SharingContext): Executor {
  const { db, signal, fromEvents } = context;
  let stages = 0;
  const isLarge = (cells: number) => cells >= fromEvents;
  const sharing: Sharing = {
    minWindows: (cells) => (isLarge(cells) ? blocksPerStage : 1),
    async run<Input extends Scratch>(work: WindowedWork<Input>) {
      const isShared = isLarge(work.cells) && work.windows > 1;
      const helpers = isShared ? await countOtherWorkers(db, context).catch(() => 0) : 0;
      if (helpers === 0) return computeLocally(work, executor, signal);
      await using exchange = new Exchange(work, { ...context, stage: ++stages, helpers });
      await computeShared(work, executor, exchange, signal);
    },
  };
  return { ...executor, sharing };
}
