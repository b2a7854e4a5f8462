import type { Interactions } from '../../data/interactions.ts';
import { lowRankWeights, ranksFor } from '../../low-rank/ranks.ts';
import { mean, standardError } from '../../statistics/interval.ts';
import type { G1Parameters } from '../parameters.ts';
import { type LowRankParameters, type TriedCandidate, triedOf, type Validation } from './validation.ts';

/** A gain below this many standard errors may be chance, and the low-rank part costs time and memory in every call. */
const significantErrors = 2;

const none: LowRankParameters = { rank: 0, lowRankWeight: 0 };

/**
 * Chooses rank and weight of the low-rank part on the validation users, after everything else: of all pairs the one with the
 * best NDCG, or none unless that gains significantly, user by user. One decomposition serves all ranks, because the
 * factors of a lower rank are the first of a higher one. `whole` is what the users of `validation` are a sample of.
 */
export async function chooseLowRank(
  validation: Validation,
  best: G1Parameters,
  whole?: Interactions,
): Promise<{ lowRank: LowRankParameters; tried: TriedCandidate[] }> {
  const { matrix } = await validation.fitter.prepare(best);
  const ranks = ranksFor(
    { ...matrix, pairs: matrix.columnOffsets[matrix.items]! },
    whole && { ...whole, pairs: whole.item.length },
  );
  if (ranks.length === 0) return { lowRank: none, tried: [] };
  const candidates = [
    none,
    ...ranks.flatMap((rank) => lowRankWeights.map((lowRankWeight) => ({ rank, lowRankWeight }))),
  ];
  const evaluations = await validation.lookLowRank(best, candidates);
  const gains = evaluations.map(({ ndcg }) => ndcg.map((value, user) => value - evaluations[0]!.ndcg[user]!));
  const winner = gains.reduce((top, gain, place) => (mean(gain) > mean(gains[top]!) ? place : top), 0);
  const gain = gains[winner]!;
  const isSignificant = mean(gain) > significantErrors * standardError(gain);
  return {
    lowRank: isSignificant ? candidates[winner]! : none,
    tried: candidates.map((lowRank, place) =>
      triedOf('low-rank part', { ...best, ...lowRank }, evaluations[place]!),
    ),
  };
}
