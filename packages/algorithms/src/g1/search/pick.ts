import type { Evaluation } from '../../evaluation/metrics.ts';
import { mean, normalMargin } from '../../statistics/interval.ts';

export interface PickOptions<Tried> {
  readonly metric?: 'ndcg' | 'recall';
  /** Of the candidates that are close to the best, the one with the smallest result is picked; without it, the best. */
  readonly prefer?: ((tried: Tried) => number) | undefined;
  /**
   * Close are those that are worse by at most this share of the margin of a 95 % interval of the differences per user.
   * Half the margin is about one standard error (Breiman et al. 1984).
   */
  readonly margin?: number;
  /** At most this share of the best result is given up for the preferred candidate. */
  readonly tolerance?: number | undefined;
}

/** The best candidate, or a preferred one that is not clearly worse. Of equal ones, the first. Undefined if there are none. */
export function pickBest<Tried extends { readonly evaluation: Evaluation }>(
  tried: readonly Tried[],
  { metric = 'ndcg', prefer, margin = 1, tolerance = 1 }: PickOptions<Tried>,
): Tried | undefined {
  const score = ({ evaluation }: Tried) => mean(evaluation[metric]);
  const ranked = tried.toSorted((one, other) => score(other) - score(one));
  const [best] = ranked;
  if (!best || !prefer) return best;
  const close = ranked.filter(({ evaluation }) => {
    const loss = best.evaluation[metric].map((value, user) => value - evaluation[metric][user]!);
    return mean(loss) <= Math.min(margin * normalMargin(loss), tolerance * score(best));
  });
  return close.toSorted((one, other) => prefer(one) - prefer(other))[0];
}
