import { mean, normalMargin } from '../statistics/interval.ts';
import { never } from './decay.ts';

/** In days, from six hours to practically infinite. */
const halfLives = [0.25, 1, 3, 7, 14, 30, 60, 120, 365, never];
/** With fewer users, chance would choose. */
export const fewestUsers = 20;

/**
 * The longest half-life that is not significantly worse than the best, by a 95 % interval of the per-user differences:
 * a short one forgets more. `ndcgOf` returns the NDCG of each validation user.
 */
export function chooseHalfLife(ndcgOf: (halfLifeDays: number, fraction: number) => Float32Array): number {
  const tried = halfLives.map((days, place) => ({ days, ndcg: ndcgOf(days, place / halfLives.length) }));
  const best = tried.reduce((one, other) => (mean(other.ndcg) > mean(one.ndcg) ? other : one));
  const isClose = ({ ndcg }: (typeof tried)[number]) => {
    const loss = best.ndcg.map((value, index) => value - ndcg[index]!);
    return mean(loss) <= normalMargin(loss);
  };
  return (tried.findLast(isClose) ?? best).days;
}
