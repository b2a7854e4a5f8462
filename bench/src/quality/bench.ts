import { availableParallelism } from 'node:os';
import { startThreads } from '@tastegraph/algorithms/threads';
import type { Report } from '../report.ts';
import { requireData } from './data.ts';
import { runFresh } from './fresh.ts';
import type { Outcome } from './outcome.ts';
import { published } from './published.ts';
import { runSequences, sequences } from './sequences.ts';
import { signals } from './signals.ts';
import { runSplit } from './splits.ts';

const all = [...Object.keys(published), ...Object.keys(sequences), ...Object.keys(signals)];
/** `fresh` runs only if named: see `runFresh`. */
export const qualityParts = [...all, 'fresh'];
/** Take less than a minute on two cores. */
const quickSets = ['ml-1m-lcfn', 'ml-100k'];

/** How well G1 predicts with `{}` as its parameters. All choices are made on the training part; the test part is scored once. */
export async function benchQuality(quick: boolean, names: readonly string[]): Promise<Report> {
  const chosen = names.length > 0 ? names : quick ? quickSets : all;
  requireData(chosen);
  const threads = startThreads(availableParallelism());
  const outcomes = new Map<string, Outcome>();
  for (const name of chosen) {
    console.error(`quality: ${name}`);
    const signal = name === 'fresh' ? runFresh : signals[name];
    const run = name in sequences ? runSequences : runSplit;
    const outcome = await (signal ? signal(threads) : run(name, threads, quick));
    outcomes.set(name, outcome);
    for (const { text } of outcome.goals) console.error(`  ${text}`);
  }
  await threads.close();
  const tables = Map.groupBy(outcomes.values(), ({ table }) => table);
  return {
    bench: 'quality',
    tables: [...tables].map(([title, of]) => ({ title, rows: of.flatMap(({ rows }) => rows) })),
    goals: [...outcomes.values()].flatMap(({ goals }) => goals),
    figures: Object.fromEntries([...outcomes].map(([name, { figures }]) => [name, figures])),
  };
}
