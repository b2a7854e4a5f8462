import type { Hooks } from '../http/hooks.ts';
import type { Queryable } from '../kernel/postgres/pool.ts';
import type { Figures } from './figures.ts';
import { judgeExperiment } from './judge-experiment.ts';
import { lockFigures, updateFigures } from './rows/figures.ts';

/**
 * Writes the figures of an experiment and judges them. The first verdict is announced once, in the same transaction; later figures change it only if they
 * show that the shares are wrong.
 */
export async function publishFigures(
  tx: Queryable,
  hooks: Hooks,
  accountId: string,
  experimentKey: number,
  figures: Figures,
): Promise<void> {
  const experiment = await lockFigures(tx, experimentKey);
  // It was deleted meanwhile.
  if (!experiment) return;
  const { verdict, winner } = judgeExperiment(experiment, figures);
  const isFirst = experiment.verdict === 'UNDECIDED' && verdict !== 'UNDECIDED';
  const replaces = isFirst || (verdict === 'INVALID' && experiment.verdict !== 'INVALID');
  await updateFigures(tx, experimentKey, figures, replaces ? { verdict, winner } : undefined);
  if (!isFirst) return;
  const { project_id, experiment_id, name, scenario } = experiment;
  const data = { project_id, experiment_id, name, scenario, verdict, winner };
  await hooks.announce(tx, accountId, 'experiment.decided', data);
}
