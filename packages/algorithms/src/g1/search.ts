import type { Executor } from '../parallel.ts';
import { type HoldOut, holdOut } from '../split.ts';
import type { Evaluation } from './evaluate.ts';
import { signalsOf, type TrainingData } from './fitter.ts';
import { type Estimate, estimate, type Metrics, mean } from './metrics.ts';
import { defaults, type G1Parameters, searchSteps } from './parameters.ts';
import { Validation } from './validation.ts';

export interface SearchOptions {
  /** What is fixed beforehand; the rest is searched. */
  readonly given?: Partial<G1Parameters>;
  /** `tail` where events have an order, else `random`. */
  readonly holdOut?: HoldOut;
  readonly seed?: number;
  /** The budget: after so many regressions the search goes on only with what needs none. */
  readonly maxFits?: number;
  readonly onProgress?: (stage: string, fraction: number) => void;
}

export interface SearchResult {
  readonly parameters: G1Parameters;
  readonly holdOut: HoldOut;
  /** Of users of whom something is known. */
  readonly validation: Metrics;
  /** What recommending the most popular items to everybody reaches on the same users. */
  readonly popularity: Metrics;
  /** Users of whom only attributes are known, if that; undefined where there are too few users to put some aside. */
  readonly coldUsers: { readonly model: Metrics; readonly popularity: Metrics } | undefined;
  /** Items that occur in the held-out part only, which `validation` counts too. */
  readonly coldItems: { readonly items: number; readonly recall20: Estimate };
  readonly fits: number;
  readonly tried: readonly { step: string; parameters: G1Parameters; ndcg20: number; recall20: number }[];
}

/** Half of the usual K: the ranking of settings is the same, at half the cost. */
const searchK = 100;
/** Eight to ten for the regression, and what types and attributes add. */
const defaultMaxFits = 24;

/** Chooses what was not given, by predicting a held-out part of the data from the rest. Same data, same choice. */
export async function search(
  data: TrainingData,
  executor: Executor,
  options: SearchOptions = {},
): Promise<SearchResult> {
  const { given = {}, seed = 1, maxFits = defaultMaxFits, onProgress } = options;
  const how = options.holdOut ?? (data.events.ordered ? 'tail' : 'random');
  const signals = signalsOf(data);
  const start = { ...defaults(signals), ...given };
  const k = Math.min(start.k, searchK);
  const validation = new Validation(data, holdOut(data.events, how, seed), seed, k, executor);
  const { fitter } = validation;

  const tried: { step: string; parameters: G1Parameters; ndcg20: number; recall20: number }[] = [];
  const steps = searchSteps(signals, given);
  // The regression is tuned on taste alone: it is what it fits.
  let best = { ...start, transitions: given.transitions ?? 0 };
  let bestEvaluation: Evaluation | undefined;
  let seen: Tried[] = [];
  for (const [index, step] of steps.entries()) {
    const candidates = step.candidates(best);
    // What one rule has settled, another does not open again.
    if (bestEvaluation && step.prefer !== steps[index - 1]?.prefer)
      seen = [{ parameters: best, evaluation: bestEvaluation }];
    for (const [place, parameters] of candidates.entries()) {
      onProgress?.(step.name, (index + place / candidates.length) / steps.length);
      if (fitter.fits >= maxFits && needsFit(parameters, best)) continue;
      const evaluation = await validation.look(parameters);
      seen.push({ parameters, evaluation });
      const ndcg20 = mean(evaluation.ndcg);
      tried.push({ step: step.name, parameters, ndcg20, recall20: mean(evaluation.recall) });
    }
    const picked = pick(seen, step.prefer);
    if (picked) ({ parameters: best, evaluation: bestEvaluation } = picked);
  }
  bestEvaluation ??= await validation.look(best);
  const found = {
    ...{ parameters: best, holdOut: how, fits: fitter.fits, tried },
    validation: validation.summarise(bestEvaluation),
    popularity: await validation.popularity(best),
    coldUsers: await validation.coldUsers(best),
    coldItems: validation.coldItems(bestEvaluation),
  };
  onProgress?.('chosen', 1);
  return found;
}

interface Tried {
  readonly parameters: G1Parameters;
  readonly evaluation: Evaluation;
}

/**
 * The best by NDCG; or, where the step has a preference, what it prefers among those that 95 % cannot tell from the best,
 * the difference taken user by user (after the one-standard-error rule of Breiman et al. 1984).
 */
function pick(
  seen: readonly Tried[],
  prefer: ((parameters: G1Parameters) => number) | undefined,
): Tried | undefined {
  const ranked = seen.toSorted((one, other) => mean(other.evaluation.ndcg) - mean(one.evaluation.ndcg));
  const [best] = ranked;
  if (!best || !prefer) return best;
  const close = ranked.filter(({ evaluation }) => {
    const loss = best.evaluation.ndcg.map((value, index) => value - evaluation.ndcg[index]!);
    return mean(loss) <= estimate(loss).margin;
  });
  return close.toSorted((one, other) => prefer(one.parameters) - prefer(other.parameters))[0];
}

function needsFit(parameters: G1Parameters, best: G1Parameters): boolean {
  const key = ({ typeWeights, attributeWeight, gamma, beta, c, lambda }: G1Parameters) =>
    JSON.stringify([typeWeights, attributeWeight > 0, gamma, beta, c, lambda]);
  return key(parameters) !== key(best);
}
