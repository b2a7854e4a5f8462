import {
  evenly,
  type SampledUser,
  type ScaledFactors,
  sampledUsers,
  spreadRatios,
} from '../../low-rank/scale.ts';
import type { History } from '../data/history.ts';
import type { G1Parameters } from '../parameters.ts';
import type { Fitter } from './fitter.ts';
import type { Scorer } from './scorer.ts';
import { factorScales, noFactors, type StoredFactors, storeFactors } from './stored-factors.ts';

/** At least `rank` factors per item, and their scales. */
export async function findFactors(
  fitter: Fitter,
  parameters: G1Parameters,
  rank: number,
): Promise<ScaledFactors> {
  const { rank: stride, vector } = await fitter.factors(parameters, rank);
  const { degree, items } = await fitter.taste(parameters);
  return { stride, vector, ...factorScales(degree, items) };
}

/** For each rank, by what a weight of 1 multiplies the low-rank part. */
export function gainsOf(
  fitter: Fitter,
  scorer: Scorer,
  factors: ScaledFactors,
  parameters: G1Parameters,
  ranks: readonly number[],
): number[] {
  const sampleOf = sampler(scorer);
  const users = evenly(fitter.data.events.users, sampledUsers);
  const sample = users.map((user) => sampleOf(fitter.historyOf(user, parameters)));
  return spreadRatios(sample, scorer.items, factors, ranks);
}

export const hasLowRank = ({ rank, lowRankWeight }: G1Parameters) => rank > 0 && lowRankWeight > 0;

/** The low-rank part as a model stores it. `scorerOf` is called only if there is one. */
export async function storedFactorsOf(
  fitter: Fitter,
  scorerOf: () => Scorer,
  parameters: G1Parameters,
): Promise<StoredFactors> {
  const { rank, lowRankWeight } = parameters;
  if (!hasLowRank(parameters)) return noFactors;
  const factors = await findFactors(fitter, parameters, rank);
  const [gain = 0] = gainsOf(fitter, scorerOf(), factors, parameters, [rank]);
  return storeFactors(factors, rank, lowRankWeight * gain);
}

/** Sums a user's scores over all items. */
function sampler(scorer: Scorer): (history: History) => SampledUser {
  const { items, tasteOffsets, tasteTarget, tasteWeight, sourceScale, targetScale } = scorer;
  const { transitionOffsets, transitionTarget, transitionWeight } = scorer;
  const score = new Float64Array(items);
  return (history) => {
    score.fill(0);
    const token: number[] = [];
    const weight: number[] = [];
    for (const [place, source] of history.token.entries()) {
      const strength = history.weight[place]! * (1 + history.age[place]!) ** -scorer.recency;
      const scaled = strength * sourceScale[source]! * scorer.tasteScale;
      for (let cell = tasteOffsets[source]!; cell < tasteOffsets[source + 1]!; cell++) {
        const item = tasteTarget[cell]!;
        score[item]! += scaled * tasteWeight[cell]! * targetScale[item]!;
      }
      if (source >= items) continue;
      token.push(source);
      weight.push(strength);
      if (scorer.transitionScale === 0) continue;
      const next = strength * scorer.transitionScale;
      const end = transitionOffsets[source + 1]!;
      for (let cell = transitionOffsets[source]!; cell < end; cell++)
        score[transitionTarget[cell]!]! += next * transitionWeight[cell]!;
    }
    let sum = 0;
    let squares = 0;
    for (const value of score) {
      sum += value;
      squares += value * value;
    }
    return { sum, squares, token, weight };
  };
}
