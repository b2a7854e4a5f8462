import { limits } from '@tastegraph/contract';
import type { Transaction } from '../kernel/postgres/pool.ts';
import type { AttributedRun } from '../outcomes/attribution/attributed.ts';
import type { Figures } from './figures.ts';
import { measureExperiment } from './measure-experiment.ts';
import { publishFigures } from './publish-figures.ts';
import { listMeasuredExperiments } from './rows/figures.ts';

/** How long after its last window a stopped experiment still counts late events. */
const lateHours = 72;
/** The running ones of an account, and as many that were stopped. */
const maxExperiments = 2 * limits.runningExperiments;

/** Computes the figures of experiments whose answers have not expired; those of older ones stay as they are. */
export async function measureAttributed(run: AttributedRun) {
  const experiments = await listMeasuredExperiments(run.db, run.projectKey, {
    sinceTs: run.sinceTs,
    lateHours,
    limit: maxExperiments,
  });
  const nowMs = Date.now();
  const measured: [number, Figures][] = [];
  for (const experiment of experiments)
    measured.push([experiment.experiment_key, await measureExperiment(run, experiment, nowMs)]);
  return async (tx: Transaction): Promise<void> => {
    for (const [key, figures] of measured) await publishFigures(tx, run.hooks, run.accountId, key, figures);
  };
}
