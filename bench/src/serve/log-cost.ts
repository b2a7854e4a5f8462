import type { Service } from '../service.ts';
import type { Target } from './load.ts';
import { measureCost } from './measure-cost.ts';
import type { CostRounds } from './sizes.ts';

/** The rate of a serving process that logs its answers, compared with one that does not. Both run all the time. */
export async function measureLogCost(
  cell: Service,
  data: string,
  request: Target['request'],
  rounds: CostRounds,
) {
  await using logging = await cell.startAnother('serving');
  await using silent = await cell.startAnother('serving', { DECISION_LOG_DAYS: '0' });
  const wayOf = ({ pid, port }: Service) => ({ pid, target: { port, request } });
  return await measureCost(
    { data, what: 'the decision log' },
    { on: wayOf(logging), off: wayOf(silent) },
    rounds,
  );
}
